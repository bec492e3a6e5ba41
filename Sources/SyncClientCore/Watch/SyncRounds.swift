import Synchronization

/// What a watch did, and how it hears of changes.
public struct SyncRound: Sendable, Equatable {
    /// All syncs since the round before, added up; empty if only `state` has changed.
    public internal(set) var outcome = SyncOutcome()
    /// How the client hears of changes now; nil before that is known.
    public internal(set) var state: WatchState?

    static func + (left: Self, right: Self) -> Self {
        SyncRound(outcome: left.outcome + right.outcome, state: right.state ?? left.state)
    }
}

/// The rounds of a watch (`Syncer.rounds`).
///
/// Each iterator runs a watch of its own. The watch ends when the iterator is dropped or the reading task is cancelled.
/// An error that ends the watch comes after all rounds.
public struct SyncRounds: AsyncSequence, Sendable {
    typealias Watch = @Sendable (_ tell: (SyncRound) -> Void) async throws -> Never
    typealias Merge = @Sendable (SyncRound, SyncRound) -> SyncRound

    private let watch: Watch
    private let merge: Merge

    /// `merge` makes one round of two, the later one last.
    init(merge: @escaping Merge = { $0 + $1 }, _ watch: @escaping Watch) {
        self.merge = merge
        self.watch = watch
    }

    /// Begins to watch.
    public func makeAsyncIterator() -> Iterator {
        let waiting = WaitingRound(merge)
        let bell = AsyncThrowingStream<Void, any Error>(bufferingPolicy: .bufferingNewest(1)) { bell in
            let watch = watch
            let task = Task {
                do {
                    try await watch {
                        waiting.add($0)
                        bell.yield()
                    }
                } catch {
                    bell.finish(throwing: error is CancellationError ? nil : error)
                }
            }
            bell.onTermination = { _ in task.cancel() }
        }
        return Iterator(waiting: waiting, bell: bell.makeAsyncIterator())
    }

    /// Reads rounds.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let waiting: WaitingRound
        fileprivate var bell: AsyncThrowingStream<Void, any Error>.Iterator

        /// What happened since the last call; waits until something does. Nil when the reading task is cancelled.
        public mutating func next(
            isolation actor: isolated (any Actor)? = #isolation
        ) async throws(any Error) -> SyncRound? {
            while try await bell.next(isolation: actor) != nil {
                if let round = waiting.take() { return round }
            }
            return nil
        }
    }
}

/// What nobody has read yet.
private final class WaitingRound: Sendable {
    private let round = Mutex<SyncRound?>(nil)
    private let merge: SyncRounds.Merge

    init(_ merge: @escaping SyncRounds.Merge) { self.merge = merge }

    func add(_ next: SyncRound) { round.withLock { [merge] in $0 = $0.map { merge($0, next) } ?? next } }

    func take() -> SyncRound? {
        round.withLock { round in
            defer { round = nil }
            return round
        }
    }
}
