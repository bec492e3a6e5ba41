import SyncProtocol
import SyncServer

/// One thing that an operator can set: by environment variable, or by key in the configuration file.
struct Setting: Sendable {
    /// The type of a setting's values, and where a value goes. Key paths are not Sendable, so a function returns them.
    enum Kind: Sendable {
        case number(ClosedRange<Int>, @Sendable () -> WritableKeyPath<ServerSettings, Int>)
        case flag(@Sendable () -> WritableKeyPath<ServerSettings, Bool>)
        case text(@Sendable () -> WritableKeyPath<ServerSettings, String>)
        case choice([String], @Sendable () -> WritableKeyPath<ServerSettings, String>)

        /// What a value must be, as part of a message.
        var rule: String {
            switch self {
            case .number(let range, _): "a whole number from \(range.lowerBound) to \(range.upperBound)"
            case .flag: "true or false"
            case .text: "a text that is not empty"
            case .choice(let words, _): "one of " + words.joined(separator: ", ")
            }
        }

        /// The value in `settings`, as it is written in the environment.
        func text(in settings: ServerSettings) -> String {
            switch self {
            case .number(_, let path): String(settings[keyPath: path()])
            case .flag(let path): String(settings[keyPath: path()])
            case .text(let path), .choice(_, let path): settings[keyPath: path()]
            }
        }

        /// Whether a value in the configuration file has the right type. A string is read as in the environment.
        func admits(_ json: JSON) -> Bool {
            switch self {
            case .number: json.int != nil || json.string != nil
            case .flag: json.bool != nil || json.string != nil
            case .text, .choice: json.string != nil
            }
        }
    }

    /// The key in the configuration file. Dots separate the names of nested objects.
    let key: String
    let summary: String
    let kind: Kind
    /// Whether the value is shown as `***`.
    let isSecret: Bool

    init(key: String, summary: String, kind: Kind, isSecret: Bool = false) {
        self.key = key
        self.summary = summary
        self.kind = kind
        self.isSecret = isSecret
    }

    /// A number about sync.
    init(
        key: String, range: ClosedRange<Int>, summary: String,
        path: @escaping @Sendable () -> WritableKeyPath<SyncSettings, Int>
    ) {
        self.init(key: key, summary: summary, kind: .number(range) { Setting.inSync(path()) })
    }

    private static func inSync<Value>(
        _ path: WritableKeyPath<SyncSettings, Value>
    ) -> WritableKeyPath<ServerSettings, Value> {
        let sync: WritableKeyPath<ServerSettings, SyncSettings> = \.sync
        return sync.appending(path: path)
    }

    /// The environment variable: `TIDEMARK_SYNC_PULL_PAGE_SIZE` for `sync.pullPageSize`.
    var variable: String {
        let words = key.reduce(into: "") { text, character in
            if character == "." {
                text += "_"
            } else if character.isUppercase {
                text += "_\(character)"
            } else {
                text += character.uppercased()
            }
        }
        return "TIDEMARK_\(words)"
    }

    static let all = operations + sync + accounts + http

    private static let sync = [
        Setting(
            key: "sync.pullPageSize", range: 1...5000, summary: "Rows of a page if the client does not say.",
            path: { \.pullPageSize }),
        Setting(
            key: "sync.pullMaxPageSize", range: 1...100_000, summary: "The most rows of a page.",
            path: { \.pullMaximumPageSize }),
        Setting(
            key: "sync.pageCacheMb", range: 0...65_536,
            summary: "The size of the page cache in MiB; 0 for none.", path: { \.pageCacheMegabytes }),
        Setting(
            key: "sync.groupCommit", summary: "Whether waiting uploads share a commit.",
            kind: .flag { inSync(\.groupCommit) }),
        Setting(
            key: "sync.batchMaxRows", range: 1...100_000, summary: "The most rows of an uploaded batch.",
            path: { \.batchMaximumRows }),
        Setting(
            key: "sync.uploadCollections",
            summary: "The collections that can be uploaded, separated by commas; without it, all that the schema "
                + "allows.",
            kind: .text { inSync(\.uploadCollections) }),
        Setting(
            key: "sync.batchRetentionHours", range: 1...87_600, summary: "How long a batch id is remembered.",
            path: { \.batchRetentionHours }),
        Setting(
            key: "sync.historyRetentionDays", range: 1...3650,
            summary: "How many days replaced values are kept. This is how far back edits can be merged.",
            path: { \.historyRetentionDays }),
        Setting(
            key: "sync.inboxRetentionDays", range: 1...3650,
            summary: "How long a lost edit stays in its author's inbox.", path: { \.inboxRetentionDays }),
        Setting(
            key: "sync.inboxMb", range: 1...65_536,
            summary: "How many MiB of lost edits are kept of a user in a project.", path: { \.inboxMegabytes }),
        Setting(
            key: "sync.historyMb", range: 1...65_536,
            summary: "How many MiB of large replaced values are kept of a user in a project.",
            path: { \.historyMegabytes }),
        Setting(
            key: "sync.answersMb", range: 1...65_536,
            summary: "How many MiB of large answers are kept of a user in a project.", path: { \.answersMegabytes }),
        Setting(
            key: "sync.uploadRatePerProject", range: 0...1_000_000,
            summary: "The most uploads of one user to one project in a minute; 0 for no limit.",
            path: { \.uploadRatePerProject }),
        Setting(
            key: "sync.uploadRatePerUser", range: 0...1_000_000,
            summary: "The most uploads of one user in a minute; 0 for no limit.", path: { \.uploadRatePerUser }),
        Setting(
            key: "sync.writeRatePerProject", range: 0...1_000_000,
            summary: "The most REST writes of one user to one project in a minute; 0 for no limit.",
            path: { \.writeRatePerProject }),
        Setting(
            key: "sync.writeRatePerUser", range: 0...1_000_000,
            summary: "The most REST writes of one user in a minute; 0 for no limit.", path: { \.writeRatePerUser }),
        Setting(
            key: "sync.tombstoneRetentionDays", range: 0...36_500,
            summary: "Days after which the tombstone of a deleted row is purged; 0 for never.",
            path: { \.tombstoneRetentionDays }),
        Setting(
            key: "sync.tombstoneWaitDays", range: 0...36_500,
            summary: "How many days a tombstone waits for devices that have not passed it; 0 for none.",
            path: { \.tombstoneWaitDays }),
        Setting(
            key: "sync.streamStallSeconds", range: 1...3600,
            summary: "How long a stream waits for a client that does not read.", path: { \.streamStallSeconds }),
        Setting(
            key: "sync.streamWaitSeconds", range: 1...86400,
            summary: "How long a stream waits in total for a client that reads slowly.", path: { \.streamWaitSeconds }),
        Setting(
            key: "sync.streams", range: 1...3, summary: "The most large streams at a time.", path: { \.streams }),
    ]
}
