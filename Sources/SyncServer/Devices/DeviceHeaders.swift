import Foundation
import HTTPTypes
import Hummingbird
import SyncEngine
import SyncStore

/// The headers in which a device says what it is. What can't be held is ignored: no request fails because of them.
enum DeviceHeaders {
    /// The device in `Tidemark-Device-Id`; nil without a usable one. `named` is the id that the body gives, which
    /// counts if there is no header.
    static func device(_ headers: HTTPFields, named: String? = nil) -> DeviceDescription? {
        guard let id = headers[.deviceID] ?? named else { return nil }
        return DeviceDescription(
            id: id, name: headers[.deviceName].map(decoded), appVersion: headers[.appVersion].map(decoded))
            ?? named.flatMap { id == $0 ? nil : device([:], named: $0) }
    }

    /// The result of a comparison with the server's digest, in `Tidemark-Digest`.
    static func comparison(_ headers: HTTPFields) -> DeviceActivity.Comparison? {
        headers[.tidemarkDigest].flatMap { DeviceActivity.Comparison(rawValue: $0.lowercased()) }
    }

    /// A header can't hold every text in every client, so names may be percent-encoded UTF-8.
    private static func decoded(_ text: String) -> String { text.removingPercentEncoding ?? text }
}

extension HTTPField.Name {
    static let deviceID = HTTPField.Name("Tidemark-Device-Id")!
    static let deviceName = HTTPField.Name("Tidemark-Device-Name")!
    static let appVersion = HTTPField.Name("Tidemark-App-Version")!
    static let tidemarkDigest = HTTPField.Name("Tidemark-Digest")!
}
