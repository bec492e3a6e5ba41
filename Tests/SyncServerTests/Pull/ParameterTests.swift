import SyncProtocol
import SyncStore
import Testing

/// `since` and `collections`.
@Suite struct ParameterTests {
    @Test(arguments: ["abc", "-1", "1.5", "9007199254740992", "99999999999999999999", "", "+1", "1e3"])
    func aSinceThatIsNoIntegerBelow2To53IsRefused(since: String) async throws {
        let scene = try await Scene()
        let page = try await scene.client(.viewer).page(["since": since])
        #expect(page.status == 400)
        #expect(page.code == "invalid_since")
    }

    @Test func theGreatestSinceIsReadAsANumber() async throws {
        let scene = try await Scene()
        let page = try await scene.client(.viewer).page(["since": "9007199254740991"])
        #expect(page.code == "since_ahead")
    }

    @Test func aSinceAboveTheHeadIsRefused() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let head = try await viewer.head()
        #expect(try await viewer.page(["since": String(head)]).status == 200)
        let page = try await viewer.page(["since": String(head + 1)])
        #expect(page.status == 409)
        #expect(page.code == "since_ahead")
    }

    @Test func theFilterServesOnlyTheCollectionsNamed() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let member = try await scene.client(.member)
        let page = try await member.page(["collections": "risks,tasks"])
        #expect(page.at("/changes")?.object?.keys.sorted() == ["risks", "tasks"])
        let filtered = try await member.drain(pageSize: 1, collections: "risks,tasks")
        let whole = try await member.drain()
        #expect(filtered.rows == whole.rows.filter { ["risks", "tasks"].contains($0.key.collection) })
        #expect(filtered.timestamp == whole.timestamp)
    }

    @Test(arguments: ["nope", "tasks,nope", "Tasks", "tasks; drop table"])
    func anUnknownCollectionIsRefused(names: String) async throws {
        let scene = try await Scene()
        let page = try await scene.client(.viewer).page(["collections": names])
        #expect(page.status == 400)
        #expect(page.code == "unknown_collection")
    }

    @Test func aParameterGivenTwiceWithTwoValuesIsRefused() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let page = try await viewer.send("GET", viewer.syncPath + "?since=0&since=1")
        #expect(page.status == 400)
        #expect(page.code == "invalid_parameter")
    }
}
