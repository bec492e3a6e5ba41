import SyncProtocol
import Testing

@testable import SyncClientCore

/// The pull's state machine, as values.
@Suite struct PullLoopTests {
    private static let options = SyncOptions(pageSize: 2)

    private func loop(_ state: ReplicaState = .sample(), schema: ServerSchema? = Fixture.schema) -> PullLoop {
        PullLoop(state: state, schema: schema, options: Self.options, seed: 1)
    }

    /// A loop that has just asked for a page.
    private func asking(_ state: ReplicaState = .sample()) -> PullLoop {
        var loop = loop(state)
        _ = loop.start(at: .zero)
        _ = loop.handle(.answered(TransportResponse(status: 304)), at: .zero)
        return loop
    }

    private func page(_ since: Int64, _ cursor: String?) -> PullLoop.Action {
        .send(.page(since: SyncSeq(since), cursor: cursor, size: 2), timeout: .seconds(30))
    }

    @Test func beginsWithTheSchemaAndNamesTheKnownVersion() {
        var loop = loop()
        #expect(loop.start(at: .zero) == .send(.schema(known: "v1"), timeout: .seconds(30)))
        #expect(loop.handle(.answered(TransportResponse(status: 304)), at: .zero) == page(0, nil))
    }

    @Test func newSchemaIsAdoptedBeforeTheFirstPage() {
        var loop = loop(.sample(schemaVersion: nil), schema: nil)
        #expect(loop.start(at: .zero) == .send(.schema(known: nil), timeout: .seconds(30)))
        #expect(loop.handle(.answered(.json(Fixture.schemaJSON)), at: .zero) == .adopt(Fixture.schema))
        #expect(loop.handle(.stored(.sample()), at: .zero) == page(0, nil))
    }

    @Test func resumesWithTheCursorAndTheSameSince() {
        var loop = loop(.sample(since: 5, cursor: "c"))
        _ = loop.start(at: .zero)
        #expect(loop.handle(.answered(TransportResponse(status: 304)), at: .zero) == page(5, "c"))
        #expect(loop.outcome.resumed)
    }

    @Test func walksThePagesAndFinishesWithTheLast() throws {
        var loop = asking(.sample(since: 5))
        let first = Fixture.page(Fixture.tasks(updated: [["id": "a", "server_version": 1]]), cursor: "c")
        #expect(loop.handle(.answered(.json(first)), at: .zero) == .apply(try Fixture.read(first)))
        #expect(loop.handle(.stored(.sample(since: 5, cursor: "c", rows: 1)), at: .zero) == page(5, "c"))
        #expect(loop.progress == PullProgress(rows: 1, total: nil))
        let last = Fixture.page(Fixture.tasks(deleted: ["b"]))
        #expect(
            loop.handle(.answered(.json(last, headers: ["Tidemark-Head": "43"])), at: .zero)
                == .apply(try PageReader(schema: Fixture.schema).page(last.bytes, head: "43")))
        #expect(loop.handle(.stored(.sample(since: 42)), at: .zero) == page(42, nil))
        let outcome = PullOutcome(rows: 1, deleted: 1, pages: 2, timestamp: SyncSeq(42), head: SyncSeq(43))
        #expect(loop.outcome == outcome && outcome.isBehind)
        #expect(loop.progress == PullProgress(rows: 2, total: nil))
        let news = Fixture.page(timestamp: 43)
        _ = loop.handle(.answered(.json(news, headers: ["Tidemark-Head": "43"])), at: .zero)
        let end = PullOutcome(rows: 1, deleted: 1, pages: 3, timestamp: SyncSeq(43), head: SyncSeq(43))
        #expect(loop.handle(.stored(.sample(since: 43)), at: .zero) == .finish(end))
    }

    /// After three drains that did not count, a stream is asked for; where it is refused, pages, and next time again.
    @Test(arguments: [503, 500]) func aRefusedStreamIsFollowedByPages(status: Int) {
        var loop = asking(.sample(since: 5))
        func stream(_ since: Int64) -> PullLoop.Action {
            .send(.page(since: SyncSeq(since), cursor: nil, size: nil, isStream: true), timeout: .seconds(30))
        }
        func round(_ timestamp: Int64) -> PullLoop.Action {
            let head = ["Tidemark-Head": String(timestamp + 1)]
            _ = loop.handle(.answered(.json(Fixture.page(timestamp: .int(timestamp)), headers: head)), at: .zero)
            return loop.handle(.stored(.sample(since: timestamp)), at: .zero)
        }
        #expect(round(6) == page(6, nil) && round(7) == page(7, nil) && round(8) == stream(8))
        for timestamp in 9...12 as ClosedRange<Int64> {
            #expect(loop.handle(.answered(TransportResponse(status: status)), at: .zero) == page(timestamp - 1, nil))
            #expect(round(timestamp) == stream(timestamp))
        }
        #expect(loop.handle(.failed(.bodyTooLarge(limit: 9)), at: .zero) == page(12, nil))
        guard case .finish(let outcome) = round(13) else { return #expect(Bool(false)) }
        #expect(!outcome.isSettled && outcome.timestamp == SyncSeq(13))
    }

    @Test(
        arguments: [
            (Fixture.page(timestamp: 41), "changed within one drain"),
            (Fixture.page(timestamp: 4), "below `since`"),
            (Fixture.page(cursor: "c"), "does not move"),
            (Fixture.page(cursor: nil, hasMore: true), "contradict"),
            (Fixture.page(cursor: "d", hasMore: false), "contradict"),
            (JSON.object(["changes": .object([:])]), "`timestamp`"),
        ] as [(JSON, String)])
    func violationsFailLoudly(answer: JSON, words: String) {
        var loop = asking(.sample(since: 5, cursor: "c"))
        guard case .fail(.violation(let text)) = loop.handle(.answered(.json(answer)), at: .zero) else {
            Issue.record("no violation")
            return
        }
        #expect(text.contains(words))
    }

    @Test func invalidCursorRestartsFromPageOneAndAsksForTheSchema() {
        var loop = asking(.sample(since: 5, cursor: "c"))
        #expect(loop.handle(.answered(.problem(400, .invalidCursor)), at: .zero) == .reset(resync: false))
        let next = loop.handle(.stored(.sample(since: 5)), at: .zero)
        #expect(next == .send(.schema(known: "v1"), timeout: .seconds(30)))
        #expect(loop.handle(.answered(TransportResponse(status: 304)), at: .zero) == page(5, nil))
        #expect(!loop.outcome.resumed && !loop.outcome.resynced)
    }

    @Test(arguments: [(409, ErrorCode.sinceAhead), (410, ErrorCode.sinceExpired)])
    func voidWatermarkResyncsFromZero(status: Int, code: ErrorCode) {
        var loop = asking(.sample(since: 5))
        #expect(loop.handle(.answered(.problem(status, code)), at: .zero) == .reset(resync: true))
        _ = loop.handle(.stored(.sample(since: 0)), at: .zero)
        #expect(loop.handle(.answered(TransportResponse(status: 304)), at: .zero) == page(0, nil))
        #expect(loop.outcome.resynced)
    }

    @Test func refusingEveryDrainIsAViolation() {
        var fresh = asking(.sample(since: 0))
        guard case .fail(.violation) = fresh.handle(.answered(.problem(409, .sinceAhead)), at: .zero) else {
            Issue.record("resync from zero was not refused")
            return
        }
        var loop = asking(.sample(since: 5, cursor: "c"))
        for _ in 0..<PullLoop.restartLimit {
            #expect(loop.handle(.answered(.problem(400, .invalidCursor)), at: .zero) == .reset(resync: false))
            _ = loop.handle(.stored(.sample(since: 5, cursor: "c")), at: .zero)
            _ = loop.handle(.answered(TransportResponse(status: 304)), at: .zero)
        }
        guard case .fail(.violation) = loop.handle(.answered(.problem(400, .invalidCursor)), at: .zero) else {
            Issue.record("restarted without end")
            return
        }
    }

    @Test func lostProjectWipesOnTheRightCodeOnly() {
        var loop = asking()
        #expect(
            loop.handle(.answered(.problem(403, .membershipRevoked)), at: .zero)
                == .wipe(.membershipRevoked, detail: "Because."))
        #expect(
            loop.handle(.answered(.problem(410, .projectDeleted)), at: .zero)
                == .wipe(.projectDeleted, detail: "Because."))
        let refused = SyncError.refused(status: 403, code: "not_a_member", detail: "Because.")
        #expect(loop.handle(.answered(.problem(403, .notAMember)), at: .zero) == .fail(refused))
        let proxy = loop.handle(.answered(TransportResponse(status: 410)), at: .zero)
        guard case .fail(.refused(410, "", _)) = proxy else {
            Issue.record("\(proxy)")
            return
        }
    }

    @Test func retriesWithGrowingWaitsUntilPatienceEnds() {
        var loop = asking()
        var now = Duration.zero
        var waits: [Duration] = []
        while case .wait(let wait) = loop.handle(.failed(.unreachable("no")), at: now) {
            waits.append(wait)
            now += wait
            guard case .send(_, let timeout) = loop.handle(.waited, at: now) else { break }
            #expect(timeout <= .seconds(30) - now)
        }
        #expect(now < .seconds(30))
        #expect(waits.count > 5)
        for (index, wait) in waits.enumerated() {
            let full = Duration.milliseconds(250) * (1 << index)
            #expect(wait <= full && wait >= full * 0.5)
        }
        #expect(loop.handle(.failed(.timeout), at: .seconds(30)) == .fail(.gaveUp(reason: "\(TransportError.timeout)")))
    }

    @Test func retryAfterIsHonouredAndCostsNoPatience() {
        var loop = asking()
        let busy = TransportResponse.problem(503, .busy, headers: ["Retry-After": "40"])
        #expect(loop.handle(.answered(busy), at: .zero) == .wait(.seconds(40)))
        #expect(loop.handle(.waited, at: .seconds(40)) == page(0, nil))
        let long = TransportResponse.problem(429, .busy, headers: ["Retry-After": "4000"])
        #expect(loop.handle(.answered(long), at: .seconds(40)) == .fail(.gaveUp(reason: "Because.")))
    }

    @Test func serverThatStaysBusyIsGivenUp() {
        var loop = asking()
        let busy = TransportResponse.problem(503, .busy, headers: ["Retry-After": "0"])
        for _ in 0..<SyncOptions().busyLimit {
            #expect(loop.handle(.answered(busy), at: .zero) == .wait(SyncOptions().firstDelay))
        }
        #expect(loop.handle(.answered(busy), at: .zero) == .fail(.gaveUp(reason: "Because.")))
    }

    @Test func cutBodiesAndServerErrorsAreRetried() {
        var loop = asking()
        for response in [TransportResponse(status: 200, body: .init(#"{"chang"#.utf8)), TransportResponse(status: 500)]
        {
            guard case .wait = loop.handle(.answered(response), at: .zero) else {
                Issue.record("not retried: \(response)")
                return
            }
        }
        #expect(loop.handle(.failed(.bodyTooLarge(limit: 9)), at: .zero) == .fail(.transport(.bodyTooLarge(limit: 9))))
    }

    @Test func replicaMovedOnByAnotherProcessIsFollowed() {
        var loop = asking(.sample(since: 5))
        _ = loop.handle(.answered(.json(Fixture.page(cursor: "c"))), at: .zero)
        let other = ReplicaState.sample(since: 5, cursor: "other")
        #expect(
            loop.handle(.superseded(other), at: .zero) == .send(.schema(known: "v1"), timeout: .seconds(30)))
        #expect(loop.handle(.answered(TransportResponse(status: 304)), at: .zero) == page(5, "other"))
        #expect(loop.outcome.pages == 0)
    }
}
