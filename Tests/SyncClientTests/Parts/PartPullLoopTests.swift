import SyncProtocol
import Testing

@testable import SyncClientCore

/// What a pull of a part asks for, as values.
@Suite struct PartPullLoopTests {
    private static let mine = PartFilter(stored: #"{"tasks":[{"assignee":"@me"}]}"#)
    private static let sprint = PartFilter(stored: #"{"tasks":[{"sprint":"s-1"}]}"#)

    private func state(since: Int64 = 0, filter: PartFilter = .everything, target: PartFilter? = nil) -> ReplicaState {
        var state = ReplicaState.sample(since: since)
        (state.filter, state.target) = (filter, target)
        if target != nil { state.settled = nil }
        return state
    }

    /// A loop that has just asked for a page, and what it asked.
    private func asking(
        _ state: ReplicaState, wanted: PartFilter, compares: Bool = false, hold: Int = 0
    ) -> (loop: PullLoop, part: PartParameters?, wait: Int) {
        var loop = PullLoop(
            state: state, schema: Fixture.schema, options: SyncOptions(), seed: 1, hold: hold, wanted: wanted,
            comparesParts: compares)
        _ = loop.start(at: .zero)
        let action = loop.handle(.answered(TransportResponse(status: 304)), at: .zero)
        guard case .send(.page(_, _, _, _, let wait, _, let part), _) = action else { return (loop, nil, -1) }
        return (loop, part, wait)
    }

    private func answer(_ page: JSON, filtered: Bool) -> PullLoop.Event {
        var members = page.object ?? [:]
        if filtered { members["filtered"] = true }
        return .answered(.json(.object(members), headers: ["Tidemark-Head": "42"]))
    }

    @Test func from0ItAsksForThePartAndItsDigest() {
        let (_, part, _) = asking(state(), wanted: Self.mine)
        #expect(part == PartParameters(filter: Self.mine, former: nil, wantsDigest: true))
        #expect(part?.parameters.map(\.name) == ["filter", "digest"])
    }

    @Test func above0ItSaysWhatTheWatermarkIsGoodFor() {
        let same = asking(state(since: 5, filter: Self.mine), wanted: Self.mine).part
        #expect(same?.parameters.map(\.value) == [Self.mine.text, "same"])
        let other = asking(state(since: 5, filter: Self.mine), wanted: Self.sprint).part
        #expect(other?.parameters.map(\.value) == [Self.sprint.text, Self.mine.text, "true"])
        let first = asking(state(since: 5), wanted: Self.mine).part
        #expect(first?.parameters.map(\.value) == [Self.mine.text, "{}", "true"])
        let back = asking(state(since: 5, filter: Self.mine), wanted: .everything).part
        #expect(back?.parameters.map(\.name) == ["filter_was", "digest"])
        #expect(asking(state(since: 5), wanted: .everything).part == nil)
    }

    @Test func aPullWaitsOnlyForTheSamePart() {
        #expect(asking(state(since: 5, filter: Self.mine), wanted: Self.mine, hold: 25).wait == 25)
        #expect(asking(state(since: 5, filter: Self.mine), wanted: Self.sprint, hold: 25).wait == 0)
    }

    @Test func pagesThatWaitSayWhichPartTheyAreOf() {
        var state = state(since: 5, filter: Self.mine)
        (state.kept.reached, state.kept.filter) = (SyncSeq(9), Self.sprint)
        let part = asking(state, wanted: Self.mine).part
        #expect(part?.former == Self.sprint && part?.filter == Self.mine)
    }

    /// Its rows in the tables are of neither part alone.
    @Test func aDrainThatWasBegunIsFinishedBeforeAnotherPart() throws {
        var (loop, part, _) = asking(state(since: 5, filter: Self.mine, target: Self.sprint), wanted: .everything)
        #expect(part?.filter == Self.sprint && part?.former == Self.mine)
        guard case .apply(let page) = loop.handle(answer(Fixture.page(), filtered: true), at: .zero) else {
            Issue.record("the page is not stored")
            return
        }
        #expect(page.filter == Self.sprint && page.wantsDigest)
        let next = loop.handle(.stored(state(since: 42, filter: Self.sprint)), at: .zero)
        guard case .send(.page(_, _, _, _, _, _, let last), _) = next else {
            Issue.record("it ends at a part that nobody wants")
            return
        }
        #expect(last?.filter == .everything && last?.former == Self.sprint)
    }

    @Test func aDroppedDrainKeepsItsTargetOnlyIfItsRowsAreInTheTables() {
        var open = state(since: 5, filter: Self.mine, target: Self.sprint)
        open.drain = ReplicaState.sample(cursor: "c").drain
        #expect(open.reset(resync: false).target == Self.sprint)
        #expect(open.reset(resync: true).target == nil && open.reset(resync: true).filter == .everything)
        open.settled = SyncSeq(5)
        #expect(open.reset(resync: false).target == nil)
        #expect(open.reset(resync: false).filter == Self.mine)
    }

    /// A server of a version before parts sends everything.
    @Test(arguments: [state0, whole]) func anOlderServersAnswerIsTakenForEverything(of state: ReplicaState) {
        var (loop, _, _) = asking(state, wanted: Self.mine)
        guard case .apply(let page) = loop.handle(answer(Fixture.page(), filtered: false), at: .zero) else {
            Issue.record("the page is not stored")
            return
        }
        #expect(page.filter == .everything)
        guard case .finish(let outcome) = loop.handle(.stored(.sample(since: 42)), at: .zero) else {
            Issue.record("it asks again")
            return
        }
        #expect(outcome.filter == .everything)
    }

    private static let state0 = ReplicaState.sample()
    private static let whole = ReplicaState.sample(since: 5)

    /// It knows nothing of the rows outside of the part that the replica holds.
    @Test(arguments: [nil, sprint] as [PartFilter?]) func anOlderServersAnswerAfterAPartIsDropped(target: PartFilter?) {
        for filter in [Self.mine, .everything] where filter != .everything || target != nil {
            var (loop, _, _) = asking(state(since: 5, filter: filter, target: target), wanted: Self.mine)
            let action = loop.handle(answer(Fixture.page(), filtered: false), at: .zero)
            #expect(action == .reset(resync: true))
        }
    }

    @Test func aPageWithoutTheMarkWithinADrainIsDropped() {
        var state = ReplicaState.sample(cursor: "c")
        state.target = Self.mine
        var (loop, _, _) = asking(state, wanted: Self.mine)
        #expect(loop.handle(answer(Fixture.page(), filtered: false), at: .zero) == .reset(resync: true))
    }
}
