import Logging
import SyncAccounts
import SyncProtocol
import SyncServer
import SyncStoreSQL

/// One thing that an operator can set: by environment variable, or by key in the configuration file.
struct Setting: Sendable {
    /// The type of a setting's values, and where a value goes. Key paths are not Sendable, so a function returns them.
    enum Kind: Sendable {
        case number(ClosedRange<Int>, @Sendable () -> WritableKeyPath<ServerSettings, Int>)
        /// A number, or `none` for no limit, which is the default.
        case limit(ClosedRange<Int>, @Sendable () -> WritableKeyPath<ServerSettings, Int?>)
        case flag(@Sendable () -> WritableKeyPath<ServerSettings, Bool>)
        case text(@Sendable () -> WritableKeyPath<ServerSettings, String>)
        case choice([String], @Sendable () -> WritableKeyPath<ServerSettings, String>)

        /// What a value must be, as part of a message.
        var rule: String {
            switch self {
            case .number(let range, _): "a whole number from \(range.lowerBound) to \(range.upperBound)"
            case .limit(let range, _): "none, or a whole number from \(range.lowerBound) to \(range.upperBound)"
            case .flag: "true or false"
            case .text: "a text that is not empty"
            case .choice(let words, _): "one of " + words.joined(separator: ", ")
            }
        }

        /// The value in `settings`, as it is written in the environment.
        func text(in settings: ServerSettings) -> String {
            switch self {
            case .number(_, let path): String(settings[keyPath: path()])
            case .limit(_, let path): settings[keyPath: path()].map { String($0) } ?? "none"
            case .flag(let path): String(settings[keyPath: path()])
            case .text(let path), .choice(_, let path): settings[keyPath: path()]
            }
        }

        /// Whether a value in the configuration file has the right type. A string is read as in the environment.
        func admits(_ json: JSON) -> Bool {
            switch self {
            case .number, .limit: json.int != nil || json.string != nil
            case .flag: json.bool != nil || json.string != nil
            case .text: json.string != nil
            case .choice(let words, _): json.string != nil || json.bool != nil && words.contains("true")
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

    static let all = operations + sync + quotas + accounts + http + files

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

extension Setting {
    /// What strangers may take of the installation.
    static let quotas = [
        Setting(
            key: "project.rows", summary: "The most rows of a project, besides itself and its members; none for any.",
            kind: .limit(1...1_000_000_000) { \.sync.projectRows }),
        Setting(
            key: "row.maxKb", summary: "The most KiB of a row.",
            kind: .number(1...16_384) { \.sync.rowMaximumKilobytes }),
    ]
}

extension Setting {
    static let files = [
        Setting(
            key: "files.store",
            summary: "A folder for files, or s3://bucket/prefix; without it, a folder beside the database.",
            kind: .text { \.files.store }),
        Setting(
            key: "files.shared", summary: "Whether all servers on the database have the folder for files.",
            kind: .flag { \.files.isShared }),
        Setting(
            key: "files.projectMb", summary: "The most MiB of all files of a project.",
            kind: .number(0...1_073_741_824) { \.files.projectMegabytes }),
        Setting(
            key: "files.maxMb", summary: "The most MiB of a file.",
            kind: .number(1...1_048_576) { \.files.maximumMegabytes }),
        Setting(
            key: "files.sweepDays", summary: "How many days a file stays that no row names.",
            kind: .number(1...3650) { \.files.sweepDays }),
        Setting(
            key: "files.keepHours", summary: "How many hours an upload stays that gets no bytes.",
            kind: .number(1...8760) { \.files.keepHours }),
        Setting(
            key: "files.interim",
            summary: "Who gets interim answers to uploads (104): auto for clients without a proxy, true for all.",
            kind: .choice(["auto", "true", "false"]) { \.files.interim }),
    ]
}

extension Setting {
    static let http = [
        Setting(
            key: "http.idleSeconds", summary: "How long a connection without a request stays open.",
            kind: .number(1...86_400) { \.http.idleSeconds }),
        Setting(
            key: "http.stallSeconds",
            summary: "How long the server waits for more of a body, or for a client to read more of an answer.",
            kind: .number(1...3600) { \.http.stallSeconds }),
        Setting(
            key: "http.transferSeconds", summary: "How long a body, or the reading of an answer, may take in total.",
            kind: .number(1...86_400) { \.http.transferSeconds }),
        Setting(
            key: "http.bodySeconds",
            summary: "How long a whole body may take, besides a second for each 8 KiB of it.",
            kind: .number(1...86_400) { \.http.bodySeconds }),
        Setting(
            key: "http.bodiesMb", summary: "The most MiB of all request bodies that are under way.",
            kind: .number(16...1_048_576) { \.http.bodiesMegabytes }),
        Setting(
            key: "http.connections", summary: "The most connections at a time.",
            kind: .number(1...1_000_000) { \.http.connections }),
        Setting(
            key: "events.streams", summary: "The most event streams at a time.",
            kind: .number(0...1_000_000) { \.events.streams }),
        Setting(
            key: "http.origins", summary: "Web origins whose pages may call the API, separated by commas.",
            kind: .text { \.http.origins }),
        Setting(
            key: "tls.certificate", summary: "A PEM file: the certificate, followed by those of its issuers.",
            kind: .text { \.http.tlsCertificate }),
        Setting(
            key: "tls.key", summary: "A PEM file: the certificate's private key.", kind: .text { \.http.tlsKey }),
    ]
}

extension Setting {
    static let accounts = [
        rate("auth.loginsPerAddress", "The most failed logins from one address in a minute.") {
            \.accounts.loginsPerAddress
        },
        rate(
            "auth.loginsPerAccount",
            "The most failed logins into one account from one address in a minute; ten times as many from all."
        ) { \.accounts.loginsPerAccount },
        rate("auth.refreshesPerAddress", "The most refreshes from one address in a minute.") {
            \.accounts.refreshesPerAddress
        },
        Setting(
            key: "auth.trustForwardedFor",
            summary: "Whether the server is behind a proxy that appends to X-Forwarded-For.",
            kind: .flag { \.accounts.trustsForwardedFor }),
        Setting(
            key: "identity.issuer", summary: "The iss claim of an outside issuer's tokens.",
            kind: .text { \.accounts.identityIssuer }),
        Setting(
            key: "identity.audience", summary: "The aud claim that those tokens must have.",
            kind: .text { \.accounts.identityAudience }),
        Setting(
            key: "identity.keys", summary: "The issuer's JWKS: a file, or an https URL.",
            kind: .text { \.accounts.identityKeys }),
        Setting(
            key: "identity.accounts",
            summary: "Who gets in with a token of the issuer: any user, or known ones, whom the operator has linked.",
            kind: .choice(["any", "known"]) { \.accounts.identityAccounts }),
        Setting(
            key: "identity.usernameClaim", summary: "The claim with the name of a new account.",
            kind: .text { \.accounts.identityUsernameClaim }),
    ]

    private static func rate(
        _ key: String, _ summary: String, path: @escaping @Sendable () -> WritableKeyPath<ServerSettings, Int>
    ) -> Setting { Setting(key: key, summary: summary, kind: .number(0...1_000_000, path)) }
}

extension Setting {
    static let operations = [
        Setting(
            key: "server.host", summary: "The address to listen on; --host.", kind: .text { \.server.host }),
        Setting(
            key: "server.port", summary: "The port to listen on, 0 for a free one; --port.",
            kind: .number(0...65_535) { \.server.port }),
        Setting(
            key: "server.shutdownSeconds",
            summary: "How long requests under way may take to end when the server is stopped.",
            kind: .number(0...3600) { \.server.shutdownSeconds }),
        Setting(
            key: "disk.lowMb",
            summary: "How many MiB should be free on the disks of database, files and backups; 0 for any.",
            kind: .number(0...1_073_741_824) { \.server.diskLowMegabytes }),
        Setting(
            key: "disk.reserveMb",
            summary: "How many MiB of the database's disk are kept for log-ins and purges on a full disk; 0 for none.",
            kind: .number(0...1024) { \.server.diskReserveMegabytes }),
        Setting(
            key: "backup.folder", summary: "The folder for backups; without one, the server makes none.",
            kind: .text { \.backup.folder }),
        Setting(
            key: "backup.hours", summary: "How long after the newest backup the server makes the next one.",
            kind: .number(1...8760) { \.backup.hours }),
        Setting(
            key: "backup.keep", summary: "How many backups of this database the server leaves in the folder.",
            kind: .number(1...10_000) { \.backup.keep }),
        Setting(
            key: "database.failover",
            summary: "PostgreSQL: what is done at a start after a failover that no running server has seen.",
            kind: .choice(FailoverRule.allCases.map(\.rawValue)) { \.failover }),
        Setting(
            key: "metrics.enabled", summary: "Whether GET /metrics is answered.",
            kind: .flag { \.observation.metrics.isEnabled }),
        Setting(
            key: "metrics.token", summary: "The bearer token for GET /metrics; without one, only this machine may ask.",
            kind: .text { \.observation.metrics.token }, isSecret: true),
        Setting(
            key: "log.level", summary: "The lowest level that is logged.",
            kind: .choice(Logger.Level.allCases.map(\.rawValue)) { \.logLevel }),
        Setting(
            key: "log.format", summary: "How a line of the log is written.",
            kind: .choice(ServerLog.Format.allCases.map(\.rawValue)) { \.logFormat }),
        Setting(
            key: "log.requests", summary: "Whether each request gets a line in the log.",
            kind: .flag { \.observation.log.requests }),
    ]
}

/// Choices as words. An unknown word is refused before it gets here.
extension ServerSettings {
    fileprivate var logLevel: String {
        get { observation.log.level.rawValue }
        set { observation.log.level = Logger.Level(rawValue: newValue) ?? observation.log.level }
    }

    fileprivate var failover: String {
        get { database.failover.rawValue }
        set { database.failover = FailoverRule(rawValue: newValue) ?? database.failover }
    }

    fileprivate var logFormat: String {
        get { observation.log.format.rawValue }
        set { observation.log.format = ServerLog.Format(rawValue: newValue) ?? observation.log.format }
    }
}
