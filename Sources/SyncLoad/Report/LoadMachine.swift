import Foundation

/// The machine on which the load tester ran, as far as the system describes it.
struct LoadMachine: Sendable, Equatable {
    let cores: Int
    /// In bytes.
    let memory: UInt64
    /// For example "Debian GNU/Linux 12 (bookworm), x86_64".
    let system: String
    /// The processor's name; nil if it is unknown.
    let processor: String?

    static var current: LoadMachine {
        LoadMachine(
            cores: ProcessInfo.processInfo.activeProcessorCount, memory: ProcessInfo.processInfo.physicalMemory,
            system: [name, architecture].compactMap { $0 }.joined(separator: ", "), processor: processorName)
    }

    var text: String {
        let gigabytes = String(format: "%.0f", Double(memory) / Double(1 << 30))
        let cores = "\(cores) \(cores == 1 ? "core" : "cores")" + (processor.map { " (\($0))" } ?? "")
        return "\(cores), \(gigabytes) GB of memory, \(system)"
    }

    private static var name: String {
        value(of: "PRETTY_NAME", in: "/etc/os-release", "=").map { $0.trimmingCharacters(in: ["\""]) }
            ?? ProcessInfo.processInfo.operatingSystemVersionString
    }

    private static var processorName: String? { value(of: "model name", in: "/proc/cpuinfo", ":") }

    private static var architecture: String? {
        var about = utsname()
        guard uname(&about) == 0 else { return nil }
        return withUnsafeBytes(of: about.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    /// The text after the sign in the first line that starts with the name.
    private static func value(of name: String, in file: String, _ sign: Character) -> String? {
        let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.split(separator: sign, maxSplits: 1).last?.trimmingCharacters(in: .whitespaces)
    }
}
