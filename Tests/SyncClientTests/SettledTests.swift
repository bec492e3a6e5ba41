import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// What a replica shows is a state that was. Others move points from task to task, two rows in one commit, so the
/// points of all tasks add up to the same at every commit.
@Suite struct SettledTests {
    private let bank: Bank

    init() throws { bank = try Bank() }

    // MARK: What is shown

    @Test func aDeltaOfSeveralPagesShowsNoStateThatNeverWas() async throws {
        try await bank.pull()
        bank.moveAll()
        let looks = Counter()
        let outcome = try await bank.pull(bank.writing(until: 9) { try bank.expectWhole(looks) })
        #expect(outcome.isSettled && outcome.timestamp == bank.head)
        #expect(looks.count > 9)
        try bank.expectWhole(looks)
        #expect(try bank.replica.state().settled == outcome.timestamp)
    }

    /// A client that takes every drain for one that counts. The test above would find it.
    @Test func withoutTheRuleAStateThatNeverWasIsShown() async throws {
        try await bank.pull()
        bank.moveAll()
        _ = try await bank.pull(LyingTransport(base: bank.writing(until: 9)))
        #expect(try bank.sum() != Bank.total)
    }

    @Test func aFirstSyncIsNotSettledBeforeADrainCounts() async throws {
        let seen = Mutex<[SyncSeq?]>([])
        let outcome = try await bank.pull(
            bank.writing(until: 4) {
                let settled = try bank.replica.state().settled
                seen.withLock { $0.append(settled) }
            })
        #expect(seen.withLock { $0.allSatisfy { $0 == nil } && $0.count > 4 })
        #expect(try bank.replica.state().settled == outcome.timestamp && bank.sum() == Bank.total)
    }

    @Test func aLargeDeltaIsStoredAsItComes() async throws {
        try await bank.pull()
        bank.moveAll()
        let seen = Mutex<[SyncSeq?]>([])
        let outcome = try await bank.pull(
            bank.writing(until: 4) {
                let settled = try bank.replica.state().settled
                seen.withLock { $0.append(settled) }
            }, keptRows: 3)
        #expect(seen.withLock { $0.contains(nil) && $0.first != .some(nil) })
        #expect(try bank.replica.state().settled == outcome.timestamp && bank.sum() == Bank.total)
        #expect(try bank.kept() == 0)
    }

    // MARK: The rule

    @Test func afterThreeDrainsEverythingIsAskedForInOneAnswer() async throws {
        try await bank.pull()
        bank.moveAll()
        let transport = bank.writing(until: .max)
        let outcome = try await bank.pull(transport)
        #expect(outcome.isSettled && outcome.timestamp <= bank.head)
        #expect(try bank.sum() == Bank.total)
        #expect(bank.requests.filter { $0.contains("stream=true") }.count == 1)
    }

    @Test func whereStreamsAreRefusedAPullEndsAfterEightDrains() async throws {
        let first = try await bank.pull().timestamp
        bank.server.change { $0.refusesStreams = true }
        bank.moveAll()
        let outcome = try await bank.pull(bank.writing(until: .max))
        #expect(!outcome.isSettled && outcome.timestamp == first && outcome.isBehind)
        let state = try bank.replica.state()
        #expect(state.settled == first && state.since == first && state.progress?.rows == Int64(outcome.rows))
        #expect(try bank.sum() == Bank.total)
        let end = try await bank.pull()
        #expect(end.isSettled && end.rows > 0 && end.timestamp == bank.head)
        #expect(try bank.sum() == Bank.total && bank.kept() == 0)
        try bank.expectServersRows()
    }

    @Test func withoutTheHeadOnlyASingleAnswerCounts() {
        var page = PageResponse(changes: [], timestamp: SyncSeq(9), nextCursor: nil)
        #expect(ReplicaState.sample(since: 5).counts(page))
        #expect(!ReplicaState.sample(since: 5, cursor: "c", timestamp: 9).counts(page))
        page.head = SyncSeq(9)
        #expect(ReplicaState.sample(since: 5, cursor: "c", timestamp: 9).counts(page))
        page.head = SyncSeq(10)
        #expect(!ReplicaState.sample(since: 5).counts(page))
        page.head = SyncSeq(9)
        page.nextCursor = "d"
        #expect(!ReplicaState.sample(since: 5).counts(page))
    }

    @Test func aProxyThatStripsTheHeadStillLetsItSettle() async throws {
        try await bank.pull()
        bank.moveAll()
        let stripping = HookedTransport(bank.server) { _, answer in
            var answer = answer
            answer.headers["tidemark-head"] = nil
            return answer
        }
        let outcome = try await bank.pull(stripping)
        #expect(outcome.isSettled && outcome.pages == Bank.count / 2 + 1)
        try bank.expectServersRows()
    }

    // MARK: Kills

    /// It dies at every request, and starts again. In between an app looks.
    @Test func aKillCostsOnePageAndShowsNothing() async throws {
        try await bank.pull()
        bank.moveAll()
        let looks = Counter()
        var pages = 0
        for death in 2... {
            let dying = bank.writing(until: 0) { try bank.expectWhole(looks) }
            do {
                let outcome = try await bank.pull(DyingTransport(base: dying, at: death % 4 + 2))
                pages += outcome.pages
                break
            } catch is Crash {}
            try bank.expectWhole(looks)
        }
        #expect(pages > 0 && pages < Bank.count / 2 && looks.count > 5)
        try bank.expectServersRows()
    }

    // MARK: Own edits

    /// Pages with t11 and t13 are kept, and then the device's edits of them are answered.
    @Test func anAnswerThatCameMeanwhileIsNewerThanAKeptPage() async throws {
        try await bank.keepPages()
        try bank.replica.update("t11", in: "tasks", with: ["duration": 999])
        try bank.replica.delete("t13", from: "tasks")
        #expect(try await bank.syncer().push().applied == 2)
        #expect(try bank.kept() > 0 && bank.replica.row("t11")?["duration"] == 999)
        #expect(try bank.replica.row("t13")?["_status"] == "deleted")
        let outcome = try await bank.pull()
        #expect(outcome.isSettled && outcome.replaced == [])
        #expect(try bank.replica.row("t11")?["duration"] == 999 && bank.replica.row("t13") == nil)
        try bank.expectServersRows()
        #expect(try bank.count("_batch") == 0)
    }

    @Test func anUnsentEditLiesOnTop() async throws {
        try await bank.keepPages()
        try bank.replica.update("t11", in: "tasks", with: ["name": "mine"])
        #expect(try bank.kept() > 0)
        #expect(try await bank.pull().isSettled)
        let row = try #require(try bank.replica.row("t11"))
        #expect(row["name"] == "mine" && row["_status"] == "updated")
        #expect(row["duration"] == bank.server.live("tasks")["t11"]?["duration"])
    }

    // MARK: The digest

    @Test func whatDiffersIsReadAgainBeforeAnythingIsShown() async throws {
        let first = try await bank.pull().timestamp
        bank.moveAll()
        try bank.replica.edit("UPDATE tasks SET server_version = 99, duration = 7 WHERE id = 't12'")
        let looks = Mutex<[JSON?]>([])
        let outcome = try await bank.pull(
            bank.writing(until: 0) {
                let row = try bank.replica.row("t12")
                looks.withLock { $0.append(row?["duration"]) }
                #expect(try bank.replica.state().settled == first)
            })
        #expect(outcome.replaced == ["tasks"] && outcome.differing == [] && outcome.isSettled)
        #expect(looks.withLock { $0.allSatisfy { $0 == 7 } })
        #expect(try bank.replica.state().settled == outcome.timestamp && bank.kept() == 0)
        try bank.expectServersRows()
    }

    @Test func aServerThatMiscountsIsToldOfAndTheStateCounts() async throws {
        try await bank.pull()
        bank.server.change { $0.miscounted = "tasks" }
        bank.moveAll()
        let outcome = try await bank.pull()
        #expect(outcome.differing == ["tasks"] && outcome.isSettled)
        #expect(try bank.replica.state().settled == outcome.timestamp)
        try bank.expectServersRows()
    }

    // MARK: Other processes and versions

    @Test func severalProcessesShareTheKeptPages() async throws {
        try await bank.pull()
        bank.moveAll()
        try await withThrowingTaskGroup(of: PullOutcome.self) { group in
            for _ in 0..<3 {
                let syncer = try bank.syncer()
                group.addTask { try await syncer.pull() }
            }
            try await group.waitForAll()
        }
        #expect(try bank.replica.state().settled == bank.head && bank.kept() == 0)
        try bank.expectServersRows()
    }

    @Test func aReplicaOfTheVersionBeforeIsSettledAtItsWatermark() async throws {
        let first = try await bank.pull().timestamp
        try bank.replica.edit("DROP TABLE _settled; DROP TABLE _kept_drain; DROP TABLE _kept_page")
        let opened = try Replica(path: bank.scratch.path, project: "p")
        #expect(try opened.state().settled == first)
        #expect(try bank.sum() == Bank.total)
    }

    @Test func anOpenDrainOfTheVersionBeforeIsFinishedInPlace() async throws {
        try await bank.pull()
        bank.moveAll()
        try await OlderClient(replica: bank.replica, transport: bank.server, pageSize: 2).drain(pages: 2)
        try bank.replica.edit("DROP TABLE _settled; DROP TABLE _kept_drain; DROP TABLE _kept_page")
        let opened = try Replica(path: bank.scratch.path, project: "p")
        #expect(try opened.state().settled == nil && opened.state().drain != nil)
        let outcome = try await bank.pull()
        #expect(outcome.resumed && outcome.pages == Bank.count / 2 - 2 && outcome.isSettled)
        #expect(try opened.state().settled == bank.head)
        try bank.expectServersRows()
    }

    @Test func anOlderClientSeesNoOpenDrainAndWhatItMovesVoidsKeptPages() async throws {
        try await bank.keepPages()
        bank.move()
        try await OlderClient(replica: bank.replica, transport: bank.server, pageSize: 99).drain()
        let state = try bank.replica.state()
        #expect(state.settled == bank.head && state.since == bank.head && state.drain == nil && !state.hasKept)
        try bank.expectServersRows()
        _ = try Replica(path: bank.scratch.path, project: "p")
        #expect(try bank.kept() == 0)
        #expect(try await bank.pull().rows == 0)
        #expect(try bank.sum() == Bank.total)
    }

    /// The file stays open meanwhile, so nothing has cleaned it.
    @Test func whatAnOlderClientMadeVoidIsNotStored() async throws {
        try await bank.keepPages()
        bank.server.change { $0.delete("tasks", "t11") }
        try await OlderClient(replica: bank.replica, transport: bank.server, pageSize: 99).drain()
        #expect(try bank.kept() == 4 && bank.replica.row("t11") == nil)
        let page = try Fixture.read(Fixture.page(timestamp: .int(bank.head.rawValue)))
        _ = try bank.replica.receive(page, of: Fixture.schema, after: bank.replica.state(), at: .test)
        #expect(try bank.kept() == 0 && bank.replica.row("t11") == nil)
        try bank.expectServersRows()
    }

    @Test func whatVoidsTheDrainDropsTheKeptPages() async throws {
        try await bank.keepPages()
        var settled = try bank.replica.state().settled
        try bank.replica.reset(resync: false)
        #expect(try bank.kept() == 0 && bank.replica.state().settled == settled)
        try await bank.keepPages()
        settled = try bank.replica.state().settled
        // They are read by the schema with which they were asked for.
        _ = try bank.replica.adopt(ServerSchema(Fixture.schemaJSON(version: "v2")))
        #expect(try bank.kept() == 0 && bank.replica.state().settled == settled)
        try await bank.keepPages()
        _ = try bank.replica.wipe(.membershipRevoked, at: .test)
        #expect(try bank.kept() == 0 && bank.replica.state().settled == nil)
    }
}
