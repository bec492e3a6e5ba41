@testable import SyncClientCore
import SyncProtocol
import Testing

/// The push's state machine, as values.
@Suite struct PushLoopTests {
    private static func batch(_ rows: Int, number: Int64 = 1) -> UploadBatch {
        let sent = (0..<rows).map {
            SentRow(collection: "tasks", id: "t\($0)", bucket: .updated, changed: ["name"], values: ["name": "N"])
        }
        return UploadBatch(number: number, id: "b\(number)", body: "{}", rows: sent)
    }

    private static func limits(_ rows: Int) -> BatchLimits { BatchLimits(rows: rows, bytes: 256 << 10) }

    /// A loop that has just sent a batch of this many rows.
    private func sending(_ rows: Int = 4) -> PushLoop {
        var loop = PushLoop(options: SyncOptions(), seed: 1)
        #expect(loop.start() == .prepare(Self.limits(500)))
        let action = loop.handle(.prepared(.batch(Self.batch(rows))), at: .zero)
        #expect(action == .send(Self.batch(rows), timeout: .seconds(30)))
        return loop
    }

    private func problem(_ status: Int, _ code: ErrorCode, limit: Int64? = nil) -> PushLoop.Event {
        var members: [String: JSON] = ["code": .string(code.rawValue), "detail": "Because."]
        members["limit"] = limit.map(JSON.int)
        return .answered(.json(.object(members), status: status))
    }

    @Test func endsWhenNothingIsLeft() {
        var loop = PushLoop(options: SyncOptions(), seed: 1)
        #expect(loop.handle(.prepared(.nothing), at: .zero) == .finish(PushOutcome()))
    }

    @Test func anAnswerIsSettledAndTheNextBatchPrepared() throws {
        var loop = sending()
        let json: JSON = ["client_batch_id": "B1", "timestamp": 9, "applied": [:]]
        #expect(
            loop.handle(.answered(.json(json)), at: .zero) == .settle(Self.batch(4), try UploadAnswer(json, to: "b1")))
        let next = loop.handle(.settled(Replica.Receipts(applied: 4)), at: .zero)
        #expect(next == .prepare(Self.limits(500)))
        #expect(loop.outcome == PushOutcome(applied: 4, batches: 1, timestamp: SyncSeq(9)))
    }

    @Test(arguments: [TransportError.timeout, .interrupted("cut"), .unreachable("down")])
    func aLostAnswerWaitsAndSendsTheSameAgain(error: TransportError) {
        var loop = sending()
        guard case .wait = loop.handle(.failed(error), at: .zero) else {
            Issue.record("it does not wait")
            return
        }
        guard case .send(Self.batch(4), _) = loop.handle(.waited, at: .seconds(1)) else {
            Issue.record("it does not send the same batch")
            return
        }
    }

    @Test func aBusyServerIsGivenTheTimeItAsksFor() {
        var loop = sending()
        let answer = TransportResponse.problem(429, .rateLimited, headers: ["Retry-After": "7"])
        #expect(loop.handle(.answered(answer), at: .zero) == .wait(.seconds(7)))
    }

    @Test func aBodyThatIsNoAnswerCountsAsLost() {
        var loop = sending()
        guard case .wait = loop.handle(.answered(TransportResponse(status: 200, body: .init("{\"ti".utf8))), at: .zero)
        else {
            Issue.record("it does not wait")
            return
        }
    }

    @Test func theServersRowLimitIsHeeded() {
        var loop = sending()
        #expect(loop.handle(problem(400, .batchTooLarge, limit: 3), at: .zero) == .drop(Self.batch(4)))
        #expect(loop.handle(.dropped, at: .zero) == .prepare(Self.limits(3)))
    }

    @Test func aBodyTooLargeIsHalvedUntilOneRowIsHeldBack() {
        var loop = sending()
        #expect(loop.handle(problem(413, .bodyTooLarge), at: .zero) == .drop(Self.batch(4)))
        #expect(loop.handle(.dropped, at: .zero) == .prepare(Self.limits(2)))
        _ = loop.handle(.prepared(.batch(Self.batch(1))), at: .zero)
        let refusal = UploadAnswer.Refusal(field: nil, code: "body_too_large", detail: "Because.")
        #expect(loop.handle(problem(413, .bodyTooLarge), at: .zero) == .hold(Self.batch(1), refusal))
        guard case .prepare = loop.handle(.dropped, at: .zero) else {
            Issue.record("it does not go on")
            return
        }
    }

    @Test func aReusedIDIsReplacedAFewTimes() {
        var loop = sending()
        for _ in 0..<3 {
            #expect(loop.handle(problem(422, .batchIDReused), at: .zero) == .drop(Self.batch(4)))
            _ = loop.handle(.dropped, at: .zero)
            _ = loop.handle(.prepared(.batch(Self.batch(4))), at: .zero)
        }
        _ = loop.handle(problem(422, .batchIDReused), at: .zero)
        let error = SyncError.refused(status: 422, code: "batch_id_reused", detail: "Because.")
        #expect(loop.handle(.dropped, at: .zero) == .fail(error))
    }

    @Test(arguments: [(409, ErrorCode.sinceAhead), (410, .sinceExpired)])
    func aVoidWatermarkDropsTheBatchAndPulls(status: Int, code: ErrorCode) {
        var loop = sending()
        #expect(loop.handle(problem(status, code), at: .zero) == .drop(Self.batch(4)))
        #expect(loop.handle(.dropped, at: .zero) == .pullFirst(PushOutcome()))
    }

    /// The server checks these before it looks whether it knows the batch.
    @Test(arguments: [(401, ErrorCode.unauthorized), (403, .notAMember), (403, .readOnlyToken), (404, .notFound)])
    func aBatchOutlivesLostRights(status: Int, code: ErrorCode) {
        var loop = sending()
        let error = SyncError.refused(status: status, code: code.rawValue, detail: "Because.")
        #expect(loop.handle(problem(status, code), at: .zero) == .fail(error))
    }

    @Test(arguments: [302, 400, 405, 421, 451]) func anAnswerOfSomebodyElseProvesNothing(status: Int) {
        var loop = sending()
        let action = loop.handle(.answered(TransportResponse(status: status, body: .init("<html>".utf8))), at: .zero)
        guard case .fail(.refused(status, "", _)) = action else {
            Issue.record("\(action)")
            return
        }
    }

    @Test(arguments: [ErrorCode.forbidden, .projectArchived]) func aRoleThatDoesNotAllowItGivesTheBatchUp(
        code: ErrorCode
    ) {
        var loop = sending()
        #expect(loop.handle(problem(403, code), at: .zero) == .drop(Self.batch(4)))
        let error = SyncError.refused(status: 403, code: code.rawValue, detail: "Because.")
        #expect(loop.handle(.dropped, at: .zero) == .fail(error))
    }

    @Test(arguments: [
        (400, ErrorCode.invalidRows), (409, .inUse), (409, .lastOwner), (400, .cyclicDependency),
    ])
    func oneRowThatFailsTheWholeBatchIsFoundByHalving(status: Int, code: ErrorCode) {
        var loop = sending()
        #expect(loop.handle(problem(status, code), at: .zero) == .drop(Self.batch(4)))
        #expect(loop.handle(.dropped, at: .zero) == .prepare(Self.limits(2)))
        _ = loop.handle(.prepared(.batch(Self.batch(1))), at: .zero)
        let refusal = UploadAnswer.Refusal(field: nil, code: code.rawValue, detail: "Because.")
        #expect(loop.handle(problem(status, code), at: .zero) == .hold(Self.batch(1), refusal))
    }

    @Test func withoutAWatermarkItPullsFirst() {
        var loop = PushLoop(options: SyncOptions(), seed: 1)
        #expect(loop.handle(.prepared(.pullFirst), at: .zero) == .pullFirst(PushOutcome()))
    }

    @Test func anImpatientProxyIsNotHammered() {
        var loop = sending()
        let answer = TransportResponse(status: 503, headers: ["Retry-After": "0"])
        #expect(loop.handle(.answered(answer), at: .zero) == .wait(SyncOptions().firstDelay))
    }

    @Test func aSlowNetworkIsGivenMoreTimeWithEachTry() {
        var options = SyncOptions()
        options.patience = nil
        var loop = PushLoop(options: options, seed: 1)
        _ = loop.handle(.prepared(.batch(Self.batch(1))), at: .zero)
        for factor in [2, 4, 8] {
            _ = loop.handle(.failed(.timeout), at: .zero)
            #expect(loop.handle(.waited, at: .zero) == .send(Self.batch(1), timeout: options.requestTimeout * factor))
        }
    }

    /// The schema that the replica knows is out of date.
    @Test func aCollectionThatTheServerTakesNoMoreMeansAPull() {
        var loop = sending()
        #expect(loop.handle(problem(400, .collectionNotUploadable), at: .zero) == .drop(Self.batch(4)))
        #expect(loop.handle(.dropped, at: .zero) == .pullFirst(PushOutcome()))
    }

    @Test func aRequestThatIsWrongInItselfIsGivenUp() {
        var loop = sending()
        #expect(loop.handle(problem(400, .invalidBody), at: .zero) == .drop(Self.batch(4)))
        let error = SyncError.refused(status: 400, code: "invalid_body", detail: "Because.")
        #expect(loop.handle(.dropped, at: .zero) == .fail(error))
    }

    @Test(arguments: [(403, ErrorCode.membershipRevoked), (410, .projectDeleted)])
    func aLostProjectIsWiped(status: Int, code: ErrorCode) {
        var loop = sending()
        guard case .wipe = loop.handle(problem(status, code), at: .zero) else {
            Issue.record("it does not wipe")
            return
        }
    }

    @Test(
        arguments: [
            [:], ["client_batch_id": "b1", "timestamp": 0], ["client_batch_id": "b1", "timestamp": "9"],
            ["client_batch_id": "b2", "timestamp": 9],
        ] as [JSON])
    func anAnswerToSomethingElseIsAViolation(json: JSON) {
        var loop = sending()
        guard case .fail(.violation) = loop.handle(.answered(.json(json)), at: .zero) else {
            Issue.record("it is believed")
            return
        }
    }
}
