package import SyncProtocol

/// The port that all data goes through. All implementations pass the same conformance suite (`StoreSuite`).
///
/// Transactions are serializable. A read sees one committed state from beginning to end. Writes run one after the
/// other, so the order of a project's commits is the order of their numbers.
///
/// The body of a read or a write may run several times; only the last run counts. A transaction rethrows what `body`
/// throws. It throws the problem `busy` if the store can't answer now, for example
/// because another process holds a lock or the disk is full; then nothing was applied, and the caller may try again.
/// All other errors are the store's own.
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
    func write<Value: Sendable>(
        _ scope: StoreScope, needing needs: @escaping @Sendable () -> Needs,
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
}

extension SyncStore {
    /// Runs `body` as one logical write, without hints about what it needs.
    package func write<Value: Sendable>(
        _ scope: StoreScope, _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value {
        try await write(scope, needing: { Needs() }, body)
    }
}
