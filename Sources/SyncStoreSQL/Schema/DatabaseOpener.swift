package import SyncStore

/// Who opens a database on a server, and what becomes of a history that may have lost something.
package enum DatabaseOpener: Equatable, Sendable {
    /// A server.
    case server(FailoverRule)
    /// A command. It leaves that to the servers.
    case guest
    /// A command that only reads. It may open a database that was moved.
    case reader
    /// The command that says that nothing was lost.
    case promoted
    /// The command that says that the database was restored.
    case restored

    /// Whether a database that was moved, or is an unfinished copy, can be opened.
    package var acceptsMoved: Bool { self == .reader || self == .restored }

    package var isServer: Bool { if case .server = self { true } else { false } }

    /// What is done at a failover while the database is open. Nil in a command.
    package var rule: FailoverRule? { if case .server(let rule) = self { rule } else { nil } }
}

/// What is done at a start after a failover that no running server has seen. From inside, a promotion that lost
/// nothing looks like a restore to a point in time.
package enum FailoverRule: String, CaseIterable, Sendable {
    /// The server does not start. Somebody says what happened, with `tidemark promoted` or `tidemark restored`.
    case ask
    /// Nothing was lost, because commits wait for a synchronous standby.
    case trust
    /// Something may be lost, at every failover: replication is asynchronous.
    case jump
}

extension StoreError {
    /// A command has other schema files than the server. It must not change tables that the server may be using.
    package static let otherSchemas = StoreError(
        "The database was made with other schema files.",
        hint: "Give the server's --schemas, or start the server with these files first.")
    package static let olderVersion = StoreError(
        "The database was made by an older version of Tidemark.",
        hint: "Start the server once with this version, then try again.")
}
