import Logging
import SyncServer
import SyncStoreSQL

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
