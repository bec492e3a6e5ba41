import SyncProtocol
import SyncServer
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// Paths and methods.
@Suite struct RoutingTests {
    @Test(arguments: [
        "/api/v1/projects/p1/sync/", "/api/v1/projects/p1/sync", "/projects/p1/sync/", "/projects/p1/sync",
    ])
    func aPathAnswersWithAndWithoutPrefixAndTrailingSlash(path: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let pulled = try await member.send("GET", path)
        #expect(pulled.status == 200)
        #expect(pulled.at("/changes/tasks") != nil)
        let queried = try await member.send("GET", path + "?page_size=1")
        #expect(queried.at("/has_more") == true)
        let pushed = try await member.send("POST", path, Batch.empty.data)
        #expect(pushed.status == 200)
        #expect(pushed.at("/applied") != nil)
    }

    @Test(arguments: ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY"])
    func anotherMethodIsRefusedWithTheOnesAllowed(method: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        for path in ["/api/v1/projects/p1/sync/", "/projects/p1/sync", "/api/v1/projects"] {
            let answer = try await member.send(method, path)
            #expect(answer.status == 405)
            #expect(answer.code == "method_not_allowed")
            #expect(answer.header("Allow") == "GET, HEAD, POST")
        }
    }

    /// A client would take a body after HEAD for the next answer on the connection.
    @Test(arguments: ["/api/v1/projects/p1/sync/", "/api/v1/projects/p1/sync/?since=x", "/api/v1/nope", "/health"])
    func headIsGetWithoutTheBodyAndLeavesTheConnectionUsable(path: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let get = try await member.send("GET", path)
        for _ in 0..<5 {
            let head = try await member.send("HEAD", path)
            #expect(head.status == get.status)
            #expect(head.header("Content-Length") == get.header("Content-Length"))
            #expect(head.body.isEmpty)
        }
        #expect(try await member.page().status == 200)
    }

    @Test func aPathThatOnlyReadsAllowsGETAlone() async throws {
        let scene = try await Scene()
        let answer = try await scene.stranger.send("POST", "/api/v1/health/", Batch.empty.data)
        #expect(answer.status == 405)
        #expect(answer.header("Allow") == "GET, HEAD")
    }

    @Test(arguments: ["/nope", "/api/v1/nope/", "/api/v2/projects/p1/sync/", "/api/v1/projects/p1/sync/more"])
    func anUnknownPathIsAProblemDocument(path: String) async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.member).send("GET", path)
        #expect(answer.status == 404)
        #expect(answer.code == "not_found")
        #expect(answer.header("Content-Type") == "application/problem+json")
    }

    @Test(arguments: ["/api/v1/health/", "/health", "/api/v1/ready/", "/ready"])
    func healthNeedsNoToken(path: String) async throws {
        let scene = try await Scene()
        #expect(try await scene.stranger.send("GET", path).status == 200)
    }

    @Test func aServerThatIsReadyTellsItsOperatorWhatToKnow() async throws {
        let scene = try await Scene {
            var maintenance = Maintenance()
            maintenance.folders = [WatchedFolder("database", path: "/data") { 5 << 20 }]
            _ = $0
            return maintenance
        }
        let ready = try await scene.stranger.send("GET", "/ready")
        let detail: JSON = "The disk of the database, /data, has 5 MiB left."
        #expect(ready.status == 200 && ready.at("/causes/0/detail") == detail && ready.at("/warnings") == [detail])
        let handedOn = try await scene.stranger.send("GET", "/ready", headers: ["X-Forwarded-For": "192.0.2.1"])
        #expect(handedOn.status == 200 && handedOn.at("/warnings") == [] && handedOn.at("/causes") == [])
    }

    @Test func schemasListWhatTablesAClientNeeds() async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.viewer).send("GET", "/api/v1/schemas/")
        #expect(answer.status == 200)
        #expect(answer.at("/collections")?.array?.count == 14)
    }
}
