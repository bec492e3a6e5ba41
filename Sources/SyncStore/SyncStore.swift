import Foundation
package import SyncProtocol

/// The port that all data goes through. All implementations pass the same conformance suite (`StoreSuite`).
///
/// Transactions are serializable. A read sees one committed state from beginning to end. Writes run one after the
/// other, so the order of a project's commits is the order of their numbers.
///
/// The body of a read or a write may run several times; only the last run counts. A transaction rethrows what `body`
/// throws. It throws the problem `busy` if the store can't answer now, for example
/// because another process holds a lock, and `disk_full` if there is no room; then nothing was applied, and the caller
/// may try again. All other errors are the store's own.
package protocol SyncStore: Sendable {
    /// Runs `body` on one committed state. May suspend until a reader is free.
    func read<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value

    /// Runs `body` on one committed state, on the calling thread if the store can. Use it for a few look-ups by key
    /// only, because the thread does nothing else meanwhile.
    func readInline<Value: Sendable>(
        _ scope: StoreScope, _ body: @Sendable (any ReadTransaction) throws -> Value
    ) async throws -> Value

    /// The mark of the state that a `readInline` begun now would see. Two equal marks of a scope mean that nothing in
    /// it changed in between, in this process or another, with the exception that `MarkScope.accounts` makes. A store
    /// may return a new mark although nothing in the scope changed. Marks never decrease.
    func mark(of scope: MarkScope) async throws -> CommitMark

    /// Runs `body` on one committed state, like `read`, but on a thread that may block.
    /// `body` calls `WillLast` before it blocks for the first time. The caller limits
    /// the number of streams and their duration. Returns when `body` has returned.
    func stream(
        _ scope: StoreScope, _ body: @escaping @Sendable (any ReadTransaction, @escaping WillLast) throws -> Void
    ) async throws

    /// Runs `body` as one logical write: all of its changes are applied, or none. Returns after they are committed
    /// durably. If `body` throws, nothing is changed.
    ///
    /// `body` may run twice. If another write in the same commit fails, a store may undo the
    /// first run and repeat it. Only the last run counts. So `body` must not change anything
    /// except the transaction, unless running it twice has the same effect as once.
    ///
    /// On a full disk, an ordinary body runs in a transaction that can't write: one that writes nothing succeeds, and
    /// every other throws `disk_full`.
    func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value

    /// Calls `body` after each commit of this process, from now on and for as long as the store is open. What was
    /// committed can be read by then. Writes don't wait for `body`, so it must return at once; it may be called on any
    /// thread, and several times for one commit. A store that can't tell never calls it.
    func onCommit(_ body: @escaping @Sendable () -> Void)

    /// Runs `body`, unless another server on the same database does this job now. Returns whether it ran. If the
    /// connection to the database is lost meanwhile, another server may begin, so twice must have the effect of once.
    func exclusively(_ job: UpkeepJob, _ body: () async throws -> Void) async throws -> Bool

    /// Deletes what the store has written for itself and needs no more. One server at a time should call it.
    func tidyUp(at now: Instant) async throws

    /// Buckets that all servers on the database share; nil if there is only one server.
    var throttle: (any Throttle)? { get }

    /// The number of servers that work on the database now, this one included.
    var servers: Int { get }

    /// What keeps the store from working now, as far as it has found out.
    var troubles: StoreTroubles { get }

    /// Looks whether what kept the store from working has ended. A server calls it every few seconds.
    func recover() async

    /// A whole check has found nothing: what was reported damaged is sound.
    func noteSound()

    /// The state of the store. It costs next to nothing; the values need not be from the same moment.
    var metrics: StoreMetrics { get }
}

/// A store that only one server uses.
extension SyncStore {
    package func exclusively(_ job: UpkeepJob, _ body: () async throws -> Void) async throws -> Bool {
        try await body()
        return true
    }

    package func tidyUp(at now: Instant) async throws {}

    package var throttle: (any Throttle)? { nil }

    package var servers: Int { 1 }

    package var troubles: StoreTroubles { [] }

    package func recover() async {}

    package func noteSound() {}
}

extension SyncStore {
    /// Runs `body` as one logical write, without hints about what it needs.
    package func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority = .ordinary,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await write(scope, priority: priority, needing: { Needs() }, body)
    }
}

/// What a transaction may touch. A store may queue, lock and route by it. A store with a single queue may ignore it.
///
/// A transaction sees its whole scope in one state, and writes with overlapping scopes run one after the other. It may
/// read users and memberships outside its scope. What it reads there is committed, but a second read may return
/// something newer. It must not read or write rows of a project that its scope does not cover.
package enum StoreScope: Sendable, Hashable {
    case project(String)
    /// Several projects. A store that locks them does so in the order of their ids.
    case projects([String])
    /// The project of a row. Which one that is, is known only after the row is read.
    case row(RowKey)
    /// What belongs to one user. For reads only.
    case user(Int64)
    /// All users and their credentials.
    case accounts
    /// All users first, then these projects.
    case accountsAndProjects([String])
    /// Everything: for work on all projects, and for the installation's own settings.
    case installation

    /// Whether the scope includes rows of the project. A row's scope
    /// covers every project, because only the row says which one it is.
    package func covers(_ project: String) -> Bool {
        switch self {
        case .project(let id): id == project
        case .projects(let ids), .accountsAndProjects(let ids): ids.contains(project)
        case .row, .installation: true
        case .user, .accounts: false
        }
    }
}

/// What a `CommitMark` covers.
package enum MarkScope: Sendable, Hashable {
    /// Everything that is stored for a project.
    case project(String)
    /// The projects that a user is a member of, and their rows.
    case user(Int64)
    /// The numbers of all commits.
    case numbers
    /// Everything that decides who a credential speaks for. The mark may stay the same after a commit that only adds,
    /// for example a new token, so a result of nil must not be cached under it.
    case accounts
}

/// Identifies a committed state inside this process. Every commit, of this process or another, makes a greater mark. A
/// mark is not stored and means nothing to other processes.
package struct CommitMark: Hashable, Sendable {
    @usableFromInline let rawValue: Int64

    /// `rawValue` grows with every commit.
    @inlinable
    package init(_ rawValue: Int64) { self.rawValue = rawValue }

    @inlinable
    package func isOlder(than other: CommitMark) -> Bool { rawValue < other.rawValue }

    @inlinable
    package static func == (left: CommitMark, right: CommitMark) -> Bool { left.rawValue == right.rawValue }
}

/// What the body of a write will probably read, as far as its caller knows.
///
/// This is a hint. A store may fetch all of it with one query, or ignore it.
/// The body may read anything else, and need not read what is named here.
package struct Needs: Sendable, Equatable {
    /// Rows of the batch and the rows that they refer to, without duplicates.
    package var rows: [RowKey]
    /// Users that rows refer to, without duplicates.
    package var users: [Int64]

    package init(rows: [RowKey] = [], users: [Int64] = []) {
        self.rows = rows
        self.users = users
    }
}

/// Whether a write is worth the room that is kept for a full disk.
package enum WritePriority: Sendable {
    /// On a full disk, what is known is answered, and all else is refused with `disk_full`, before anything is written.
    case ordinary
    /// Lets people in or locks them out, or makes room. It is tried on a full disk, too.
    case vital
}

/// Announces that the read transaction will last. Throws `busy` if the store can't bear another long read now.
///
/// The store calls `cut`, on any thread, when it can't bear this read any longer. Then the read has to end soon,
/// wherever it waits.
package typealias WillLast = @Sendable (_ cut: @escaping @Sendable () -> Void) throws -> Void

/// Token buckets by key. A bucket holds a minute's worth of tokens and fills evenly, and is full at first.
package protocol Throttle: Sendable {
    /// Takes a token from the key's bucket, which gets `perMinute` tokens in a minute. Returns 0 if there was one, and
    /// otherwise the milliseconds until there is one. `perMinute` is at least 1.
    func take(_ key: String, perMinute: Int, at now: Instant) async throws -> Int64

    /// Puts a token back into the key's bucket, which never holds more than a minute's worth.
    func giveBack(_ key: String, perMinute: Int) async throws
}

/// Work beside requests that one server at a time does.
package enum UpkeepJob: Sendable, CaseIterable {
    /// Deletes what is old enough.
    case purge
}

/// Makes the ids of rows that the server creates. Injected, so tests can predict them.
package struct NewID: Sendable {
    private let make: @Sendable () -> String

    package init(_ make: @escaping @Sendable () -> String) { self.make = make }

    package func callAsFunction() -> String { make() }

    /// Random UUIDs in lower case.
    package static let uuid = NewID { UUID().uuidString.lowercased() }
}

/// Why a database can't be used, and what an operator can do. Both are full sentences.
package struct StoreError: Error, CustomStringConvertible, Sendable {
    package let reason: String
    package let hint: String

    package init(_ reason: String, hint: String) {
        self.reason = reason
        self.hint = hint
    }

    package var description: String { "\(reason) \(hint)" }
}

/// Thrown when a transaction draws a commit number from a `ProjectState` that is no longer current.
package struct StaleProject: Error {
    package init() {}
}
