import SyncProtocol
import Testing

@testable import SyncClientCore

/// Pulls that the server may hold, as values.
@Suite struct HeldPullTests {
    private func loop(_ state: ReplicaState) -> (PullLoop, PullLoop.Action) {
        var options = SyncOptions()
        options.patience = nil
        var loop = PullLoop(state: state, schema: Fixture.schema, options: options, seed: 1, hold: 25)
        _ = loop.start(at: .zero)
        let action = loop.handle(.answered(TransportResponse(status: 304)), at: .zero)
        return (loop, action)
    }

    private func page(_ since: Int64, _ cursor: String? = nil, wait: Int = 0) -> PullLoop.Action {
        .send(.page(since: SyncSeq(since), cursor: cursor, size: nil, wait: wait), timeout: .seconds(30))
    }

    @Test func onlyTheFirstPageOfADrainIsHeld() throws {
        var (loop, action) = loop(.sample(since: 5))
        #expect(action == page(5, wait: 25))
        let first = Fixture.page(Fixture.tasks(updated: [["id": "a", "server_version": 1]]), cursor: "c")
        _ = loop.handle(.answered(.json(first)), at: .zero)
        #expect(loop.handle(.stored(.sample(since: 5, cursor: "c", rows: 1)), at: .zero) == page(5, "c"))
        (loop, action) = self.loop(.sample(since: 5, cursor: "c"))
        #expect(action == page(5, "c"))
    }

    /// While it was held, the server may have been replaced by one with another schema.
    @Test func aHeldPullThatFailsBeginsAgainAndIsNotHeldAgain() {
        var (loop, _) = loop(.sample(since: 5))
        guard case .wait(let pause) = loop.handle(.failed(.interrupted("cut")), at: .seconds(20)) else {
            return #expect(Bool(false))
        }
        let schema = PullLoop.Action.send(.schema(known: "v1"), timeout: .seconds(30))
        #expect(loop.handle(.waited, at: .seconds(20) + pause) == schema)
        #expect(
            loop.handle(.answered(TransportResponse(status: 304)), at: .seconds(21))
                == page(5))
    }

    @Test func theServerIsGivenTheTimeThatItMayHold() throws {
        let remote = try Remote(url: "http://h", project: "p", token: "t")
        let request = remote.request(
            .page(since: SyncSeq(5), cursor: nil, size: nil, wait: 25), timeout: .seconds(30))
        #expect(request.url == "http://h/api/v1/projects/p/sync/?since=5&wait=25")
        #expect(request.timeout == .seconds(55) && request.hold == .seconds(25))
    }
}
