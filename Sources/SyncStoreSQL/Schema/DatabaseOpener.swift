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
