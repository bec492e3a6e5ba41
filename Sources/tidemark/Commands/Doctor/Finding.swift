import SyncProtocol

/// What one check of `tidemark doctor` found.
struct Finding: Sendable, Equatable {
    enum Level: String, Sendable {
        case ok
        /// It works, but not as well as it could.
        case warning
        case failure
        /// The check was left out.
        case skipped
    }

    let level: Level
    /// What was checked.
    let check: String
    /// What was found.
    let detail: String
    /// What to do about it.
    var remedy: String?

    var line: String {
        let level = level.rawValue.padding(to: 8)
        return "\(level) \(check): \(detail)" + (remedy.map { " \($0)" } ?? "")
    }

    var json: JSON {
        [
            "check": .string(check), "result": .string(level.rawValue), "detail": .string(detail),
            "remedy": remedy.map(JSON.string) ?? .null,
        ]
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Duration {
    /// For people: `3 ms` or `2.5 s`.
    var short: String {
        let milliseconds = Int((self / .milliseconds(1)).rounded())
        return milliseconds < 1000 ? "\(milliseconds) ms" : "\(Double(milliseconds / 100) / 10) s"
    }

    /// For people, in whole days, hours, minutes or seconds.
    var long: String {
        let seconds = components.seconds
        let units: [(Int64, String)] = [(86400, "day"), (3600, "hour"), (60, "minute"), (1, "second")]
        let (size, name) = units.first { seconds >= 2 * $0.0 } ?? (1, "second")
        return counted(Int(seconds / size), name)
    }
}
