import SyncProtocol
import SyncTestKit
import Testing

/// `stream=true` over HTTP.
@Suite struct StreamTests {
    private func large() async throws -> Scene {
        let scene = try await Scene()
        try await scene.fill()
        try await scene.insertTasks((1...50).map { "large\($0)" }, ["notes": .string(Scene.filler(20_000))])
        return scene
    }

    @Test(arguments: Role.allCases) func aStreamIsOnePageOfEverything(role: Role) async throws {
        let scene = try await large()
        let client = try await scene.client(role)
        let stream = try await client.page(["stream": "true", "page_size": "1"])
        #expect(stream.body == (try await client.page(["page_size": "5000"])).body)
        #expect(stream.header("Transfer-Encoding") == "chunked")
        #expect(stream.header("Content-Length") == nil)
        #expect(stream.header("Content-Type") == "application/json; charset=utf-8")
        #expect(stream.header("Tidemark-Head") == stream.at("/timestamp")?.text)
        #expect(stream.at("/has_more") == false)
        #expect(stream.at("/next_cursor") == .null)
    }

    @Test func aShortDeltaIsAnsweredLikeAPage() async throws {
        let scene = try await large()
        let member = try await scene.client(.member)
        let head = try await member.head()
        let stream = try await member.page(["stream": "true", "since": String(head)])
        #expect(stream.header("Content-Length") == String(stream.body.count))
        #expect(stream.header("Tidemark-Head") == String(head))
        #expect(stream.body == (try await member.page(["since": String(head)])).body)
    }

    @Test func falseMeansPages() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let page = try await scene.client(.member).page(["stream": "false", "page_size": "1"])
        #expect(page.at("/has_more") == true)
    }

    @Test func aPackedStreamUnpacksToThePlainOne() async throws {
        let scene = try await large()
        let member = try await scene.client(.member)
        let packed = try await member.page(["stream": "true"], headers: ["Accept-Encoding": "gzip"])
        #expect(packed.header("Content-Encoding") == "gzip")
        let plain = try await member.page(["stream": "true"])
        #expect(packed.body.count * 3 < plain.body.count)
        let unpacked = try await member.page(
            ["stream": "true"], headers: ["Accept-Encoding": "gzip"], unpacks: true)
        #expect(unpacked.body == plain.body)
    }

    @Test func headHasNoBody() async throws {
        let scene = try await large()
        let member = try await scene.client(.member)
        let answer = try await member.send("HEAD", member.syncPath + "?stream=true")
        #expect(answer.status == 200)
        #expect(answer.body.isEmpty)
        #expect(try await member.page(["stream": "true"]).status == 200)
    }

    @Test func theFilterHoldsForStreams() async throws {
        let scene = try await large()
        let stream = try await scene.client(.member).page(["stream": "true", "collections": "risks,sprints"])
        #expect(stream.at("/changes")?.object?.keys.sorted() == ["risks", "sprints"])
    }

    @Test(arguments: ["1", "yes", "", "TRUE"]) func anythingButTrueAndFalseIsRefused(value: String) async throws {
        let scene = try await Scene()
        let page = try await scene.client(.viewer).page(["stream": value])
        #expect(page.status == 400)
        #expect(page.code == "invalid_parameter")
    }

    @Test func whatIsRefusedIsAProblemInPlaceOfAStream() async throws {
        let scene = try await large()
        let viewer = try await scene.client(.viewer)
        let cursor = try #require(try await viewer.page(["page_size": "1"]).at("/next_cursor")?.string)
        #expect(try await viewer.page(["stream": "true", "cursor": cursor]).code == "invalid_parameter")
        #expect(try await viewer.page(["stream": "true", "since": "900"]).code == "since_ahead")
        var elsewhere = viewer
        elsewhere.project = "nope"
        #expect(try await elsewhere.page(["stream": "true"]).status == 404)
        #expect(try await scene.stranger.page(["stream": "true"]).status == 401)
        try await scene.removeMember(.viewer)
        let revoked = try await viewer.page(["stream": "true"])
        #expect(revoked.status == 403)
        #expect(revoked.code == "membership_revoked")
        try await scene.deleteProject()
        #expect(try await scene.client(.owner).page(["stream": "true"]).status == 410)
    }
}

extension Scene {
    /// A text of this many characters.
    static func filler(_ count: Int) -> String { String(repeating: "lorem ipsum ", count: count / 12 + 1) }
}
