import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// `sent`: what a device has if everything that it was sent arrived.
@Suite struct SentDrainTests {
    private static let none: JSON = ["commits": 0, "seconds": 0]

    /// `[sent, behind]` in commits; nil for null.
    private func lags(_ client: Client) async throws -> [Int64?] {
        let device = try #require(try await client.devices().first)
        return ["sent", "behind"].map { device[$0]?["commits"]?.int }
    }

    @Test func aDeviceHasWhatItsLastWholeDrainSent() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let head = try await member.head()
        try await member.pull(as: Client.device())
        #expect(try await lags(member) == [0, head])
        scene.clock.advance(by: .seconds(60))
        #expect(try await member.create("tasks", ["id": "a", "name": "A"]).status == 201)
        scene.clock.advance(by: .seconds(5))
        #expect(try await member.devices().first?["sent"] == ["commits": 1, "seconds": 5])
        try await member.pull(since: head, as: Client.device())
        #expect(try await member.devices().first?["sent"] == Self.none)
        #expect(try await lags(member) == [0, 1], "behind is what it was")
    }

    /// A device that asks again from where it was has not received the answer.
    @Test func whoeverPresentsLessHasLess() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let head = try await member.head()
        for id in ["a", "b", "c"] {
            #expect(try await member.create("tasks", ["id": .string(id), "name": "T"]).status == 201)
        }
        try await member.pull(since: head, as: Client.device())
        #expect(try await lags(member) == [0, 3])
        scene.clock.advance(by: .seconds(1))
        let page = try await member.page(["since": String(head + 1), "page_size": "1"], headers: Client.device())
        #expect(page.at("/has_more") == true)
        #expect(try await lags(member) == [2, 2], "the first page of a drain is not its end")
        scene.clock.advance(by: .seconds(1))
        let cursor = try #require(page.at("/next_cursor")?.string)
        let last = try await member.page(
            ["since": String(head + 1), "page_size": "1", "cursor": cursor], headers: Client.device())
        #expect(last.at("/has_more") == false)
        #expect(try await lags(member) == [0, 2])
    }

    @Test(arguments: [["collections": "tasks"], ["projects": "p1"], ["since": "999999"]])
    func aDrainOfAPartOrARefusedOneIsNone(parameters: [String: String]) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let client = parameters["projects"] == nil ? member : member.ofAllProjects
        _ = try await client.page(parameters, headers: Client.device())
        let device = try #require(try await member.devices().first)
        #expect(device["sent"] == device["behind"] && device["sent"] != Self.none)
    }

    @Test(arguments: [true, false]) func aStreamHasBeenSentWhenItEnds(isLong: Bool) async throws {
        let scene = try await Scene()
        if isLong {
            try await scene.insertTasks((1...50).map { "large\($0)" }, ["notes": .string(Scene.filler(20_000))])
        }
        let member = try await scene.client(.member)
        let stream = try await member.page(["stream": "true"], headers: Client.device())
        #expect((stream.header("Transfer-Encoding") == "chunked") == isLong)
        // The server notes it after the last bytes, which the test may have before.
        var (lags, tries) = (try await lags(member), 0)
        while lags[0] != 0, tries < 1000 { (lags, tries) = (try await self.lags(member), tries + 1) }
        #expect(lags == [0, try await member.head()])
    }

    @Test func aUserWideDrainCountsInEveryProject() async throws {
        let scene = try await Scene()
        let other = try await scene.otherProject()
        try await other.members.addMember("member-p1", to: "p2", as: .viewer)
        let member = try await scene.client(.member).ofAllProjects
        _ = try await member.page(headers: Client.device())
        #expect(try await lags(member)[0] == 0)
        #expect(try await scene.client(.member).create("tasks", ["id": "a", "name": "A"]).status == 201)
        #expect(try await lags(member)[0] == 1)
    }

    /// It is in the store as it is in memory, and adds no write.
    @Test func itIsWrittenWithTheRest() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.pull(as: Client.device())
        let before = try await member.devices()
        try await scene.server.writeDevices()
        #expect(try await member.devices() == before)
        let user = scene.bench.caller(.member).userID
        let stored = try await scene.bench.store.read { try $0.devices(of: user, in: nil) }
        #expect(stored.first?.projects["p1"]?.sent?.value == (try await member.head()))
    }
}
