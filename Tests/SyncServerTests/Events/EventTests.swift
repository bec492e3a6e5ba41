import NIOHTTP1
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Testing

/// `GET /events/`.
@Suite(.timeLimit(.minutes(30))) struct EventTests {
    /// A stream whose `hello` has come.
    private func opened(
        _ client: Client, _ query: String = "", headers: [String: String] = [:]
    ) async throws -> EventReader {
        let reader = try await EventReader(client, query, headers: headers)
        #expect(try await reader.next()?.name == "hello")
        return reader
    }

    @Test func itBeginsWithHello() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let reader = try await EventReader(viewer)
        #expect(reader.status == 200)
        #expect(reader.headers["Content-Type"] == ["text/event-stream"])
        #expect(reader.headers["Cache-Control"] == ["no-store, no-transform"])
        #expect(reader.headers["X-Accel-Buffering"] == ["no"])
        #expect(reader.headers["Content-Encoding"].isEmpty)
        let hello = try #require(try await reader.next())
        #expect(hello.name == "hello")
        #expect(hello.retry.map((1000...5000).contains) == true)
        let head = try await viewer.ofAllProjects.page().json["timestamp"]?.int
        #expect(hello.data == ["heartbeat_s": 25, "expires_in": .null, "head": head.map(JSON.int) ?? .null])
    }

    @Test func itSaysWhenTheTokenExpires() async throws {
        let scene = try await Scene()
        let name = scene.bench.caller(.viewer).username.rawValue
        let reader = try await EventReader(try await scene.client(named: name, validFor: .seconds(90)))
        #expect(try await reader.next()?.data["expires_in"] == 90)
    }

    @Test func aCommitIsPoked() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let reader = try await opened(viewer)
        let upload = try await scene.client(.member).upload(created: [["id": "t1", "name": "A"]])
        let poke = try #require(try await reader.next())
        #expect(poke.name == "poke")
        #expect(poke.data == ["p1": upload.json["timestamp"] ?? .null])
        #expect(poke.id == (try await viewer.ofAllProjects.page().json["timestamp"]?.text))
    }

    @Test(arguments: ["events", "sync/events"]) func bothPathsServeIt(path: String) async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.viewer).send("HEAD", "/api/v1/\(path)/")
        #expect(answer.status == 200)
        #expect(answer.header("Content-Type") == "text/event-stream")
    }

    /// What others may not see is not told of. The last poke of a project tells who lost it.
    @Test func onlyWhatTheCallerMaySeeIsPoked() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.upload(created: [["id": "t1", "name": "A"]])
        let other = try await scene.otherProject()
        let (viewer, mine) = (try await opened(try await scene.client(.viewer)), try await opened(member))
        let entry: JSON = ["id": "e1", "task": "t1", "entry_date": "2026-01-05", "minutes": 60]
        #expect(try await member.send("POST", "/projects/p1/time_entries/", entry.data).status == 201)
        let hidden = try #require(try await mine.next()?.data["p1"]?.int)
        try await scene.bench.setRole(of: .viewer, to: nil)
        #expect(try await viewer.next()?.data == ["p1": .int(hidden + 1)])
        try await member.upload(created: [["id": "t2", "name": "B"]])
        let name = scene.bench.caller(.viewer).username.rawValue
        try await other.members.addMember(name, to: "p2", as: .viewer)
        #expect(try await viewer.next()?.data.object?.keys.sorted() == ["p2"])
    }

    /// A superuser may read every project, and is told of those that it is a member of, as its pull of all projects.
    @Test func aSuperuserHearsOfItsOwnProjects() async throws {
        let scene = try await Scene()
        _ = try await scene.bench.accounts.addUser("root", isSuperuser: true)
        let other = try await scene.otherProject()
        try await other.members.addMember("root", to: "p2", as: .viewer)
        let reader = try await opened(try await scene.client(named: "root"))
        try await scene.client(.member).upload(created: [["id": "t1", "name": "A"]])
        try await other.setRole(of: .member, to: .admin)
        #expect(try await reader.next()?.data.object?.keys.sorted() == ["p2"])
    }

    @Test func projectsNarrowIt() async throws {
        let scene = try await Scene()
        let owner = try await scene.client(.owner)
        #expect(try await EventReader(owner, "?projects=p2").status == 404)
        for id in ["a", "b"] {
            let body: JSON = ["id": .string(id), "name": "X", "start_date": "2026-01-05"]
            #expect(try await owner.send("POST", "/projects/", body.data).status == 201)
        }
        let reader = try await opened(owner, "?projects=b,p1")
        for id in ["a", "b"] {
            _ = try await owner.send("PATCH", "/projects/\(id)/", (["name": "Y"] as JSON).data)
        }
        #expect(try await reader.next()?.data.object?.keys.sorted() == ["b"])
    }

    // MARK: The end

    @Test func aRevokedTokenEndsIt() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let reader = try await opened(viewer)
        let token = try #require(
            try await viewer.send("GET", "/auth/tokens/").json["results"]?.array?.first?["id"]?.text)
        _ = try await viewer.send("DELETE", "/auth/tokens/\(token)/")
        #expect(try await reader.next()?.data["reason"] == "revoked")
        #expect(try await reader.next() == nil)
    }

    /// The account is disabled by a command beside the server.
    @Test(.enabled(if: TestEngine.isSQLite)) func aDisabledUserEndsIt() async throws {
        let scene = try await Scene()
        let reader = try await opened(try await scene.client(.viewer))
        let beside = try SQLiteStore(
            path: scene.folder.path("t.db"), registry: scene.registry, opener: .guest, mender: DraftMender())
        let accounts = AccountService(store: beside, clock: scene.clock.wallClock, passwords: .quick)
        _ = try await accounts.disableUser(scene.bench.caller(.viewer).username.rawValue)
        #expect(try await reader.next()?.data["reason"] == "revoked")
    }

    /// A commit by a command beside the server.
    @Test(.enabled(if: TestEngine.isSQLite)) func aGuestsCommitIsPoked() async throws {
        let scene = try await Scene()
        let reader = try await opened(try await scene.client(.viewer))
        let beside = try SQLiteStore(
            path: scene.folder.path("t.db"), registry: scene.registry, opener: .guest, mender: DraftMender())
        let bench = try await scene.bench.moved(to: .sqlite(beside))
        try await bench.setRole(of: .member, to: .admin)
        #expect(try await reader.next()?.data.object?.keys.sorted() == ["p1"])
    }

    @Test(arguments: [true, false]) func anEndedSessionEndsIt(isLogout: Bool) async throws {
        let scene = try await Scene()
        try await scene.addAlice()
        let login = try await scene.stranger.logIn()
        let alice = scene.stranger.bearing(login.access)
        let reader = try await opened(alice)
        if isLogout {
            let body: JSON = ["refresh": .string(login.refresh)]
            #expect(try await alice.send("POST", "/api/v1/auth/logout/", body.data).status == 204)
        } else {
            _ = try await scene.bench.accounts.setPassword("another password", of: "alice")
        }
        #expect(try await reader.next()?.data["reason"] == "revoked")
    }

    @Test func anExpiredTokenEndsIt() async throws {
        let scene = try await Scene()
        let name = scene.bench.caller(.viewer).username.rawValue
        let reader = try await opened(try await scene.client(named: name, validFor: .seconds(1)))
        #expect(try await reader.next()?.data["reason"] == "token_expired")
    }

    @Test func aServerThatStopsEndsIt() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        var readers: [EventReader] = []
        for _ in 0..<10 { readers.append(try await opened(viewer)) }
        async let stop: Void = scene.server.stop()
        var pauses: Set<Int64> = []
        for reader in readers {
            let bye = try #require(try await reader.next())
            #expect(bye.name == "bye")
            #expect(bye.data["reason"] == "restart")
            pauses.insert(try #require(bye.data["retry_ms"]?.int))
        }
        #expect(pauses == Set((0..<10).map { 100 * $0 }))
        await stop
    }

    // MARK: Limits

    @Test func aUserHasTwenty() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        var readers: [EventReader] = []
        for _ in 0..<20 { readers.append(try await opened(viewer)) }
        let refused = try await EventReader(viewer)
        #expect(refused.status == 429)
        #expect(refused.headers["Retry-After"].first.flatMap(Int.init) != nil)
        #expect(try await EventReader(try await scene.client(.member)).status == 200)
        readers = []
        while scene.server.listeners() > 1 { await Task.yield() }
        #expect(try await EventReader(viewer).status == 200)
    }

    /// Whoever opens streams without end takes no openings from others.
    @Test func aUserOpensSoManyInAMinute() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        for _ in 0..<120 { #expect(try await viewer.send("GET", "/events/?projects=nope").status == 404) }
        let refused = try await viewer.send("GET", "/events/")
        #expect(refused.status == 429 && refused.code == "rate_limited")
        #expect(refused.header("Retry-After").flatMap(Int.init) != nil)
        #expect(try await EventReader(try await scene.client(.member)).status == 200)
        scene.clock.advance(by: .seconds(60))
        #expect(try await EventReader(viewer).status == 200)
    }

    @Test func theInstallationHasSoMany() async throws {
        var events = EventSettings()
        events.streams = 1
        let scene = try await Scene(events: events)
        let reader = try await opened(try await scene.client(.viewer))
        let refused = try await scene.client(.member).send("GET", "/events/")
        #expect(refused.status == 503 && refused.code == "busy")
        #expect(refused.header("Retry-After").flatMap(Int.init) != nil)
        withExtendedLifetime(reader) {}
    }

    // MARK: Tickets

    private func ticket(_ client: Client) async throws -> String {
        let answer = try await client.send("POST", "/auth/ticket/")
        #expect(answer.json["expires_in"] == 30)
        return try #require(answer.json["ticket"]?.string)
    }

    @Test func aTicketOpensOneStream() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let query = "?ticket=\(try await ticket(viewer))"
        let reader = try await opened(scene.stranger, query)
        #expect(try await EventReader(scene.stranger, query).status == 401)
        try await scene.client(.member).upload(created: [["id": "t1", "name": "A"]])
        #expect(try await reader.next()?.name == "poke")
    }

    @Test func aTicketIsForNothingElse() async throws {
        let scene = try await Scene()
        let query = "?ticket=\(try await ticket(try await scene.client(.viewer)))"
        for path in ["/sync/", "/projects/p1/sync/", "/auth/me/"] {
            #expect(try await scene.stranger.send("GET", path + query).status == 401)
        }
        #expect(try await EventReader(scene.stranger, query).status == 200)
    }

    @Test func anotherMethodLeavesTheTicket() async throws {
        let scene = try await Scene()
        let query = "?ticket=\(try await ticket(try await scene.client(.viewer)))"
        for method in ["POST", "HEAD", "OPTIONS"] {
            #expect(try await scene.stranger.send(method, "/events/" + query).status != 200)
        }
        #expect(try await EventReader(scene.stranger, query).status == 200)
    }

    @Test func aUserGetsSixtyTicketsAMinute() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        for _ in 0..<60 { _ = try await ticket(viewer) }
        #expect(try await viewer.send("POST", "/auth/ticket/").refusal == "429 rate_limited")
        _ = try await ticket(try await scene.client(.member))
    }

    @Test func aTicketOfADisabledUserIsWorthNothing() async throws {
        let scene = try await Scene()
        let ticket = try await ticket(try await scene.client(.viewer))
        _ = try await scene.bench.accounts.disableUser(scene.bench.caller(.viewer).username.rawValue)
        #expect(try await EventReader(scene.stranger, "?ticket=\(ticket)").status == 401)
    }

    @Test func aTicketIsGoodForHalfAMinute() async throws {
        let scene = try await Scene()
        let ticket = try await ticket(try await scene.client(.viewer))
        scene.clock.advance(by: .seconds(30))
        #expect(try await EventReader(scene.stranger, "?ticket=\(ticket)").status == 401)
    }

    /// A ticket is no better than the token behind it.
    @Test func aTicketEndsWithItsToken() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let (late, early) = (try await ticket(viewer), try await ticket(viewer))
        let reader = try await opened(scene.stranger, "?ticket=\(early)")
        let token = try #require(
            try await viewer.send("GET", "/auth/tokens/").json["results"]?.array?.first?["id"]?.text)
        _ = try await viewer.send("DELETE", "/auth/tokens/\(token)/")
        #expect(try await reader.next()?.data["reason"] == "revoked")
        #expect(try await EventReader(scene.stranger, "?ticket=\(late)").status == 401)
    }
}
