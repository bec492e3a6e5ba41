import PostgreSQLTestKit
import SyncProtocol
import SyncStore
import SyncStorePostgreSQL
import SyncTestKit
import Synchronization
import Testing

/// A mark is never older than what any server had answered when it was asked for. An older one would be a head below
/// the watermark of a client, which would then be told to start again.
@Suite(.timeLimit(.minutes(30))) struct MarkTests {
    @Test func aMarkKnowsWhatTheOtherServerAnswered() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        #expect(try await staleMarks(of: two.stores[0], while: two.stores[1], rounds: 300) == 0)
    }

    @Test(arguments: PlantedMarks.Mistake.allCases) func aMistakeIsFound(mistake: PlantedMarks.Mistake) async throws {
        let two = try await TwoServers()
        defer { two.close() }
        let planted = PlantedMarks(base: two.stores[0], mistake)
        #expect(try await staleMarks(of: planted, while: two.stores[1], rounds: 300, endsAtFirst: true) > 0)
    }

    @Test func aPurgeChangesTheMark() async throws {
        let two = try await TwoServers()
        defer { two.close() }
        let before = try await two.stores[0].mark(of: .project("p0"))
        try await two.stores[1].write(.project("p0")) { try $0.raiseHorizon(of: "p0", to: SyncSeq(1)) }
        #expect(try await before.isOlder(than: two.stores[0].mark(of: .project("p0"))))
    }

    /// How often a mark missed a commit that the other server had answered, while others ask for marks all the time.
    private func staleMarks(
        of store: some SyncStore, while other: PostgreSQLStore, rounds: Int, endsAtFirst: Bool = false
    ) async throws -> Int {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { while !Task.isCancelled { _ = try await store.mark(of: .project("p0")) } }
            }
            var stale = 0
            for _ in 0..<rounds where !endsAtFirst || stale == 0 {
                let before = try await store.mark(of: .project("p0"))
                try await other.commit(to: "p0")
                if try await !before.isOlder(than: store.mark(of: .project("p0"))) { stale += 1 }
            }
            group.cancelAll()
            return stale
        }
    }
}

/// A store whose marks are made with a mistake.
final class PlantedMarks: WrappingStore {
    enum Mistake: CaseIterable, Sendable {
        /// A request joins a question that is under way, which may have been answered before a commit.
        case joinsTheQuestionUnderWay
        /// A mark counts for the next requests, too.
        case keepsMarks
    }

    let base: PostgreSQLStore
    private let mistake: Mistake
    private let underWay = Mutex<Task<CommitMark, any Error>?>(nil)
    private let kept = Mutex<(mark: CommitMark, left: Int)?>(nil)

    init(base: PostgreSQLStore, _ mistake: Mistake) { (self.base, self.mistake) = (base, mistake) }

    func mark(of scope: MarkScope) async throws -> CommitMark {
        switch mistake {
        case .joinsTheQuestionUnderWay:
            let question = underWay.withLock { underWay in
                if let underWay { return underWay }
                let question = Task { [base] in
                    let mark = try await base.mark(of: scope)
                    // The answer is on its way.
                    for _ in 0..<100 { await Task.yield() }
                    return mark
                }
                underWay = question
                return question
            }
            defer { underWay.withLock { if $0 == question { $0 = nil } } }
            return try await question.value
        case .keepsMarks:
            let known = kept.withLock { kept -> CommitMark? in
                guard let mark = kept?.mark, let left = kept?.left, left > 0 else { return nil }
                kept = (mark, left - 1)
                return mark
            }
            if let known { return known }
            let mark = try await base.mark(of: scope)
            kept.withLock { $0 = (mark, 20) }
            return mark
        }
    }

    func write<Value: Sendable>(
        _ scope: StoreScope, priority: WritePriority, needing needs: @escaping @Sendable () -> Needs,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
    ) async throws -> Value { try await base.write(scope, priority: priority, needing: needs, body) }
}
