import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// Loop, transport and replica together, against a server in memory.
@Suite struct PullerTests {
    private let scratch: Scratch
    private let server = FakeServer()
    private let clock = ManualClock()

    init() throws {
        scratch = try Scratch()
        server.change { state in
            for index in 1...5 { state.put("tasks", "t\(index)", ["name": .string("T\(index)")]) }
        }
    }

    private func puller(_ transport: (any Transport)? = nil, pageSize: Int = 2) throws -> Syncer {
        try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: transport ?? server,
            replica: scratch.replica(), options: SyncOptions(pageSize: pageSize), environment: clock.environment())
    }

    @Test func firstPullThenNothingThenADelta() async throws {
        var seen: [SyncProgress] = []
        let first = try await puller().pull { seen.append($0) }
        #expect(first == PullOutcome(rows: 5, pages: 3, timestamp: SyncSeq(6), head: SyncSeq(6)))
        #expect(seen == [2, 4, 5].map { .pulled(PullProgress(rows: $0, total: 5)) })
        #expect(try await puller().pull() == PullOutcome(pages: 1, timestamp: SyncSeq(6), head: SyncSeq(6)))
        server.change { state in
            state.delete("tasks", "t2")
            state.put("tasks", "t3", ["name": "new"])
        }
        let third = try await puller().pull()
        #expect(third == PullOutcome(rows: 1, deleted: 1, pages: 1, timestamp: SyncSeq(8), head: SyncSeq(8)))
        #expect(try scratch.replica().row("t3")?["name"] == "new")
        #expect(try scratch.replica().ids() == ["t1", "t3", "t4", "t5"])
    }

    @Test func crashAfterAnyAnswerResumesWithoutAskingAgain() async throws {
        let crashing = HookedTransport(server) { number, answer in
            if number == 2 { throw Crash() }
            return answer
        }
        await #expect(throws: Crash.self) { try await puller(crashing).pull() }
        #expect(try scratch.replica().state().since == .zero)
        let outcome = try await puller().pull()
        #expect(outcome == PullOutcome(rows: 3, pages: 2, timestamp: SyncSeq(6), head: SyncSeq(6), resumed: true))
    }

    @Test func resumedDrainIsFollowedByAFreshOne() async throws {
        let server = server
        let crashing = HookedTransport(server) { number, answer in
            if number == 2 { throw Crash() }
            return answer
        }
        await #expect(throws: Crash.self) { try await puller(crashing).pull() }
        server.change { $0.put("tasks", "t1", ["name": "since then"]) }
        let outcome = try await puller().pull()
        #expect(outcome == PullOutcome(rows: 4, pages: 3, timestamp: SyncSeq(7), head: SyncSeq(7), resumed: true))
        #expect(try scratch.replica().row("t1")?["name"] == "since then")
    }

    @Test func writesDuringADrainComeWithTheNextOfTheSamePull() async throws {
        let server = server
        let writing = HookedTransport(server) { number, answer in
            if number == 1 { server.change { $0.put("tasks", "t4", ["name": "late"]) } }
            return answer
        }
        let outcome = try await puller(writing).pull()
        #expect(outcome.timestamp == SyncSeq(7) && outcome.pages == 3 && outcome.isSettled && !outcome.isBehind)
        #expect(try scratch.replica().row("t4")?["name"] == "late")
    }

    @Test func voidCursorRestarts() async throws {
        let server = server
        let voiding = HookedTransport(server) { number, answer in
            if number == 1 { server.change { $0.generation += 1 } }
            return answer
        }
        let outcome = try await puller(voiding).pull()
        #expect(outcome.pages == 4 && !outcome.resynced)
        #expect(try scratch.replica().ids().count == 5)
    }

    @Test func expiredWatermarkReplaces() async throws {
        _ = try await puller().pull()
        server.change { state in
            state.delete("tasks", "t1")
            state.purge()
            state.head += 1
        }
        let outcome = try await puller().pull()
        #expect(outcome.resynced && outcome.dropped == 1 && outcome.rows == 4)
        #expect(try scratch.replica().ids() == ["t2", "t3", "t4", "t5"])
    }

    @Test func restoredServerReplaces() async throws {
        _ = try await puller().pull()
        server.change { $0.head = 3 }
        server.change { $0.rows["tasks"] = $0.rows["tasks"]?.filter { $0.value.seq <= 3 } }
        let outcome = try await puller().pull()
        #expect(outcome.resynced && outcome.timestamp == SyncSeq(3))
        #expect(try scratch.replica().ids() == ["t1", "t2"])
    }

    @Test func grownSchemaBringsItsColumnsForOldRows() async throws {
        _ = try await puller().pull()
        server.change { state in
            state.schema = Fixture.schemaJSON(
                version: "v2", taskFields: ["points": ["type": "integer"]],
                more: [["title": "notes", "properties": ["text": ["type": "string"]]]])
            state.rows["tasks"]?["t1"]?.content?["points"] = 7
        }
        let outcome = try await puller().pull()
        #expect(outcome.resynced && outcome.rows == 5)
        #expect(try scratch.replica().row("t1")?["points"] == 7)
        #expect(try scratch.replica().count(of: "notes") == 0)
    }

    @Test func lostMembershipSetsAsideAndWipes() async throws {
        _ = try await puller().pull()
        try scratch.replica().edit("UPDATE tasks SET _status = 'updated', _changed = 'name' WHERE id = 't1'")
        server.change { $0.refusal = .problem(403, .membershipRevoked) }
        await #expect(throws: SyncError.wiped(.membershipRevoked, detail: "Because.", setAside: 1)) {
            try await puller().pull()
        }
        #expect(try scratch.replica().ids().isEmpty && scratch.replica().setAside().map(\.id) == ["t1"])
        server.change { $0.refusal = nil }
        #expect(try await puller().pull().rows == 5)
    }

    @Test(arguments: [(401, ErrorCode.unauthorized), (403, .notAMember), (404, .notFound)])
    func refusalsAreToldAndChangeNothing(status: Int, code: ErrorCode) async throws {
        _ = try await puller().pull()
        server.change { $0.refusal = .problem(status, code) }
        let expected = SyncError.refused(status: status, code: code.rawValue, detail: "Because.")
        await #expect(throws: expected) { try await puller().pull() }
        #expect(try scratch.replica().ids().count == 5)
    }

    @Test func silentServerIsGivenUpAfterThirtySeconds() async throws {
        let silent = HookedTransport(server) { _, _ in throw TransportError.unreachable("connection refused") }
        await #expect(throws: SyncError.self) { try await puller(silent).pull() }
        #expect(clock.now < .seconds(30) && clock.now > .seconds(10))
    }

    @Test func violationDropsTheDrainOnly() async throws {
        let lying = HookedTransport(server) { number, answer in
            number == 2 ? .json(Fixture.page(timestamp: 5, cursor: "x")) : answer
        }
        await #expect(throws: SyncError.self) { try await puller(lying).pull() }
        let state = try scratch.replica().state()
        #expect(state.drain == nil && state.since == .zero)
        #expect(try scratch.replica().ids().count == 2)
    }

    @Test func cancellationKeepsThePagesStored() async throws {
        let replica = try scratch.replica()
        let puller = try puller()
        let task = Task {
            try await puller.pull { progress in
                if progress == .pulled(PullProgress(rows: 4, total: 5)) { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try replica.state().drain?.rows == 4)
    }

    @Test func watchSettlesAtOnceAndThenWaits() async throws {
        let server = server
        let writing = HookedTransport(server) { number, answer in
            if number == 1 { server.change { $0.put("tasks", "t9", ["name": "N"]) } }
            return answer
        }
        let clock = clock
        let puller = try puller(writing)
        let drains = Mutex<[Duration]>([])
        let task = Task { () async throws -> Void in
            try await puller.watch(.pull, every: .seconds(60)) { _ in
            } onRound: { _ in
                drains.withLock { $0.append(clock.now) }
                if drains.withLock({ $0.count }) == 4 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(drains.withLock { $0 } == [0, 60, 120, 180].map { .seconds($0) })
        #expect(try scratch.replica().ids().count == 6)
    }

    @Test func watchOutlastsAnOutage() async throws {
        let failing = HookedTransport(server) { number, answer in
            if number < 20 { throw TransportError.unreachable("down") }
            return answer
        }
        let puller = try puller(failing)
        let task = Task { () async throws -> Void in
            try await puller.watch(.pull, every: .seconds(60)) { _ in
            } onRound: { _ in
                withUnsafeCurrentTask { $0?.cancel() }
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try scratch.replica().ids().count == 5)
        #expect(clock.now > .seconds(60))
    }
}
