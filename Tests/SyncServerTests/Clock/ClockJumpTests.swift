import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// The clock is set back by a day and forward by a year, for everything that reads it.
@Suite struct ClockJumpTests {
    private let day = Duration.seconds(86_400)
    private let year = Duration.seconds(365 * 86_400)
    private let batch = "0b5a2f0e-6f0e-4c7b-9a51-0f6f3c1f0a01"

    @Test func anAccessTokenOfTheFutureIsRefusedUntilItIsRefreshed() async throws {
        let scene = try await Scene(accounts: Scene.unlimited)
        try await scene.addAlice()
        let login = try await scene.stranger.logIn()
        let client = scene.stranger.bearing(login.access)
        #expect(try await client.me().status == 200)
        scene.clock.advance(by: .zero - day)
        #expect(try await client.me().code == "unauthorized", "though it is remembered")
        let next = try await client.refresh(login.refresh)
        #expect(next.status == 200)
        #expect(try await client.bearing(next.access).me().status == 200)
    }

    @Test func aYearForwardEndsSessionsAndSparesTokensWithoutEnd() async throws {
        let scene = try await Scene(accounts: Scene.unlimited)
        try await scene.addAlice()
        let login = try await scene.stranger.logIn()
        let endless = try await scene.client(.member)
        let ending = try await scene.client(named: scene.bench.caller(.member).username.rawValue, validFor: day)
        scene.clock.advance(by: year)
        #expect(try await scene.stranger.bearing(login.access).me().code == "unauthorized")
        #expect(try await scene.stranger.refresh(login.refresh).code == "invalid_refresh_token")
        #expect(try await ending.page().status == 401)
        #expect(try await endless.page().status == 200)
        let later = try await scene.stranger.logIn()
        scene.clock.advance(by: .zero - year)
        #expect(try await ending.page().status == 200)
        #expect(try await endless.page().status == 200)
        #expect(try await scene.stranger.bearing(later.access).me().status == 401)
        #expect(try await scene.stranger.refresh(later.refresh).status == 200)
    }

    @Test func commitsKeepTheirOrderAndEveryRowArrives() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        var phone = Phone(try await scene.client(.viewer))
        var head: Int64 = 0
        for (number, jump) in [.zero, .zero - day, year, .zero - year, day].enumerated() {
            scene.clock.advance(by: jump)
            let answer = try await member.upload(
                created: [["id": .string("t\(number)"), "name": "New"]],
                updated: number == 0 ? [] : [["id": "t0", "name": .string("Edit \(number)")]])
            let commit = try #require(answer.at("/timestamp")?.int)
            #expect(commit > head)
            head = commit
            try await phone.pull()
        }
        #expect(phone.refusals == [])
        #expect(phone.rows.keys.filter { $0.collection == "tasks" }.count == 5)
        let hot = phone.rows[RowKey("tasks", "t0")]
        #expect(hot?["name"] == "Edit 4" && hot?["server_version"] == 5)
    }

    @Test func aBatchIsKnownAfterADayBackAndForgottenAfterAYear() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        func isReplayed() async throws -> Bool {
            let answer = try await member.upload(created: [["id": "t1", "name": "A"]], batch: batch)
            #expect(answer.status == 200)
            return answer.header("Idempotent-Replayed") == "true"
        }
        #expect(try await !isReplayed())
        scene.clock.advance(by: .zero - day)
        #expect(try await isReplayed())
        scene.clock.advance(by: year)
        #expect(try await !isReplayed())
        scene.clock.advance(by: .zero - year)
        #expect(try await isReplayed())
    }

    @Test func limitsLockNobodyOut() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        for jump in [.zero - day, year, .zero - year] {
            while try await member.post(Batch.empty).status == 200 {}
            scene.clock.advance(by: jump)
            let next = try await member.post(Batch.empty)
            if jump > .zero {
                #expect(next.status == 200)
            } else {
                #expect(next.header("Retry-After") == "1")
                scene.clock.advance(by: .seconds(1))
                #expect(try await member.post(Batch.empty).status == 200)
            }
        }
    }

    @Test func aPurgeAYearAheadIsToldToPhonesAndSparesWhatIsLive() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await scene.insertTasks(["t1", "t2", "t3"])
        var phone = Phone(member)
        try await phone.pull()
        #expect(try await member.upload(deleted: ["t1"]).status == 200)
        scene.clock.advance(by: year)
        #expect(try await purge(scene).tombstones == 1)
        try await phone.pull()
        #expect(phone.refusals == ["since_expired"])
        #expect(Set(phone.rows.keys.filter { $0.collection == "tasks" }.map(\.id)) == ["t2", "t3"])
    }

    @Test func whatWasDeletedAYearAheadIsPurgedLateAndNeverEarly() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await scene.insertTasks(["t1", "t2"])
        scene.clock.advance(by: year)
        #expect(try await member.upload(deleted: ["t1"]).status == 200)
        scene.clock.advance(by: .zero - year)
        #expect(try await member.upload(deleted: ["t2"]).status == 200)
        scene.clock.advance(by: day * 100)
        #expect(try await purge(scene).tombstones == 0)
        scene.clock.advance(by: year)
        #expect(try await purge(scene).tombstones == 2)
    }

    private func purge(_ scene: Scene) async throws -> PurgeReport {
        try await PurgeService(store: scene.bench.store, registry: scene.registry, clock: scene.clock.wallClock)
            .purge(olderThan: day * 90)
    }

    @Test func anInboxOfAYearAgoIsThereAgainWhenTheClockIsPutRight() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.upload(created: [["id": "bad", "name": 7]], members: ["on_error": "reject_rows"])
        for (jump, count) in [(.zero - day, 1), (year, 0), (.zero - year, 1)] {
            scene.clock.advance(by: jump)
            let inbox = try await member.send("GET", "/projects/p1/rejected/")
            #expect(inbox.at("/results")?.array?.count == count)
        }
    }
}
