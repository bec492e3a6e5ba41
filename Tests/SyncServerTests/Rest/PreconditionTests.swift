import SyncEngine
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// `ETag`, `If-Match`, `If-None-Match`, `X-Base-Version`.
@Suite struct PreconditionTests {
    private func scene() async throws -> (Scene, Client) {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        try await member.patch("tasks", "t1", ["name": "Two"])
        return (scene, member)
    }

    @Test(arguments: [["If-Match": "\"2\""], ["If-Match": "\"1\", \"2\""], ["If-Match": "*"], ["X-Base-Version": "2"]])
    func aFreshVersionPasses(headers: [String: String]) async throws {
        let (_, member) = try await scene()
        #expect(try await member.patch("tasks", "t1", ["name": "Three"], headers: headers).status == 200)
        let next = headers.mapValues { $0.replacing("2", with: "3") }
        #expect(try await member.remove("tasks", "t1", headers: next).status == 204)
    }

    @Test(arguments: [["If-Match": "\"1\""], ["If-Match": "W/\"2\""], ["If-Match": "\"x\""], ["X-Base-Version": "1"]])
    func aStaleVersionIsAnsweredWithTheRowAsItIs(headers: [String: String]) async throws {
        let (_, member) = try await scene()
        let current = try await member.read("tasks", "t1").json
        for answer in [
            try await member.patch("tasks", "t1", ["name": "Three"], headers: headers),
            try await member.remove("tasks", "t1", headers: headers),
        ] {
            #expect(answer.status == 412 && answer.code == "stale_version")
            #expect(answer.at("/current") == current)
        }
        #expect(try await member.read("tasks", "t1").json == current)
    }

    @Test(arguments: [
        ["If-Match": "2"], ["If-Match": "\"2"], ["If-Match": "\""], ["If-Match": "\"2\"\"3\""], ["If-Match": "w/\"2\""],
        ["If-Match": "W/2"], ["X-Base-Version": "two"], ["X-Base-Version": "0"],
    ])
    func aMalformedVersionIsRefused(headers: [String: String]) async throws {
        let (_, member) = try await scene()
        let answer = try await member.patch("tasks", "t1", ["name": "Three"], headers: headers)
        #expect(answer.status == 400 && answer.code == "invalid_header")
    }

    @Test func aRestampDoesNotMakeAVersionStale() async throws {
        let (scene, member) = try await scene()
        try await scene.bench.edit { try $0.draft.restamp(RowKey("tasks", "t1")) }
        let answer = try await member.patch("tasks", "t1", ["name": "Three"], headers: ["If-Match": "\"2\""])
        #expect(answer.status == 200)
    }

    @Test func whoHasTheVersionGetsNoBody() async throws {
        let (_, member) = try await scene()
        let known = try await member.read("tasks", "t1", headers: ["If-None-Match": "\"2\""])
        #expect(known.status == 304 && known.body.isEmpty && known.header("ETag") == "\"2\"")
        #expect(try await member.read("tasks", "t1", headers: ["If-None-Match": "\"1\""]).status == 200)
    }

    @Test func theRoleIsJudgedBeforeTheVersion() async throws {
        let (scene, _) = try await scene()
        let answer = try await scene.client(.viewer)
            .patch("tasks", "t1", ["name": "X"], headers: ["If-Match": "\"1\""])
        #expect(answer.status == 403 && answer.code == "forbidden")
    }
}
