import Foundation

/// What a device tells people about itself. Its users see this in their list of devices, and administrators of a
/// project see it of the members' devices.
public struct DeviceInfo: Sendable, Equatable {
    /// A name for people, such as "Anna's phone"; nil for none.
    public var name: String?
    /// The version of the app; nil for none.
    public var appVersion: String?

    /// The machine's name, and the version of the app's bundle where it has one, unless others are given.
    public init(name: String? = DeviceInfo.machine, appVersion: String? = DeviceInfo.bundle) {
        (self.name, self.appVersion) = (name, appVersion)
    }

    /// The name of this machine.
    public static var machine: String? {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
        let name = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? nil : name
    }

    /// The version of the app's bundle; nil outside of one.
    public static var bundle: String? {
        Bundle.main.object(forInfoDictionaryKey: "CFBundleShortVersionString") as? String
    }

    /// The headers of a request. The server decodes the percent signs.
    func headers(id: String, comparison: String?) -> [String: String] {
        guard !id.isEmpty else { return [:] }
        var headers = ["Tidemark-Device-Id": id]
        headers["Tidemark-Device-Name"] = name.map(Self.encoded)
        headers["Tidemark-App-Version"] = appVersion.map(Self.encoded)
        headers["Tidemark-Digest"] = comparison
        return headers
    }

    private static func encoded(_ text: String) -> String {
        let plain = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 -._~()'!+,:;@/")
        // The server keeps less than this.
        return String(text.prefix(200)).addingPercentEncoding(withAllowedCharacters: plain) ?? ""
    }
}
