import Foundation
import SyncAccounts
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Pulls with `wait`.
@Suite(.timeLimit(.minutes(30))) struct WaitingPullTests {
    /// The ways in which a pull is asked for.
    enum Form: CaseIterable, Sendable {
        case page, stream, stock, allProjects, allProjectsAsStream, part, partOfAllProjects

        var parameters: [String: String] {
            switch self {
            case .page, .allProjects: [:]
            case .stream, .allProjectsAsStream: ["stream": "true"]
            case .stock: ["encoding": "watermelondb", "stream": "true"]
            case .part, .partOfAllProjects: WaitingPullTests.part
            }
        }

        func client(_ client: Client) -> Client {
            switch self {
            case .page, .stream, .stock, .part: client
            case .allProjects, .allProjectsAsStream, .partOfAllProjects: client.ofAllProjects
            }
        }
    }

    private static let part = ["filter": #"{"tasks":[{"status":"NOT_STARTED"}]}"#, "filter_was": "same"]

    /// A pull that is being held, from the present watermark on.
    private func held(
        _ client: Client, _ scene: Scene, _ more: [String: String] = [:]
    ) async throws -> Task<Answer, any Error> {
        let before = scene.server.listeners()
        let since = try await client.page().json["timestamp"]?.text ?? ""
        let task = Task {
            try await client.page(["since": since, "wait": "60"].merging(more) { $1 }, unpacks: true)
        }
        while scene.server.listeners() == before { await Task.yield() }
        return task
    }

    @Test(arguments: Form.allCases) func whatOthersDoEndsIt(form: Form) async throws {
        let scene = try await Scene()
        let pull = try await held(form.client(try await scene.client(.viewer)), scene, form.parameters)
        try await scene.client(.member).upload(created: [["id": "t1", "name": "New"]])
        let answer = try await pull.value
        #expect(answer.status == 200)
        #expect(answer.ids("tasks") == ["t1"])
        #expect(answer.wasWoken)
    }

    @Test func whatIsThereAlreadyComesAtOnce() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let since = try #require(try await viewer.page().json["timestamp"]?.text)
        try await scene.client(.member).upload(created: [["id": "t1", "name": "New"]])
        let answer = try await viewer.page(["since": since, "wait": "60"])
        #expect(answer.ids("tasks") == ["t1"])
        #expect(answer.header("Server-Timing") == nil)
        #expect(try await viewer.page(["wait": "60"]).status == 200)
    }

    @Test func whatIsOutsideThePartEndsNothing() async throws {
        let scene = try await Scene()
        let pull = try await held(try await scene.client(.viewer), scene, Self.part)
        let member = try await scene.client(.member)
        try await member.upload(created: [["id": "t1", "name": "Done", "status": "COMPLETE"]])
        try await member.upload(created: [["id": "t2", "name": "New"]])
        let answer = try await pull.value
        #expect(answer.ids("tasks") == ["t2"] && answer.wasWoken)
    }

    /// Others' time entries move the head and end nothing, and neither does what was not asked for.
    @Test(arguments: Form.allCases) func whatTheCallerMayNotSeeEndsNothing(form: Form) async throws {
        let scene = try await Scene()
        try await scene.client(.member).upload(created: [["id": "t1", "name": "A"]])
        let viewer = form.client(try await scene.client(.viewer))
        let pull = try await held(viewer, scene, form.parameters.merging(["collections": "tasks,time_entries"]) { $1 })
        let entry: JSON = ["id": "e1", "task": "t1", "entry_date": "2026-01-05", "minutes": 60]
        let stored = try await scene.client(.member).send(
            "POST", "/projects/p1/time_entries/", entry.data)
        #expect(stored.status == 201)
        let risk: JSON = ["id": "r1", "title": "Rain", "probability": 1, "impact": 1]
        let other = try await scene.client(.admin).send("POST", "/projects/p1/risks/", risk.data)
        #expect(other.status == 201)
        try await scene.client(.member).upload(created: [["id": "t2", "name": "B"]])
        let answer = try await pull.value
        #expect(answer.ids("tasks") == ["t2"])
        #expect(answer.ids("time_entries") == [])
        #expect(answer.wasWoken)
    }

    @Test func afterTheTimeItIsEmptyWithTheHeadOfThen() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let since = try #require(try await viewer.page().json["timestamp"]?.int)
        async let pull = viewer.page(["since": "\(since)", "wait": "5", "collections": "risks"])
        while scene.server.listeners() == 0 { await Task.yield() }
        try await scene.client(.member).upload(created: [["id": "t1", "name": "A"]])
        let answer = try await pull
        #expect(answer.json["timestamp"]?.int == since + 1)
        #expect(answer.json["has_more"] == false)
        #expect(scene.server.listeners() == 0)
    }

    @Test(arguments: ["61", "-1", "x", "1.5", "", "+1"]) func otherTimesAreRefused(wait: String) async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.viewer).page(["since": "1", "wait": wait])
        #expect(answer.refusal == "400 invalid_parameter")
    }

    @Test func aLaterPageCannotWait() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2", "t3"])
        let viewer = try await scene.client(.viewer)
        let cursor = try #require(try await viewer.page(["page_size": "1"]).json["next_cursor"]?.string)
        let refused = try await viewer.page(["page_size": "1", "cursor": cursor, "wait": "1"])
        #expect(refused.refusal == "400 invalid_parameter")
        #expect(try await viewer.page(["page_size": "1", "cursor": cursor, "wait": "0"]).status == 200)
    }

    // MARK: What is now true

    @Test(arguments: [false, true]) func aLostMembershipEndsIt(isOfAll: Bool) async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let pull = try await held(isOfAll ? viewer.ofAllProjects : viewer, scene)
        try await scene.bench.setRole(of: .viewer, to: nil)
        let answer = try await pull.value
        if isOfAll {
            #expect(answer.json["left_projects"]?.array?.count == 1)
        } else {
            #expect(answer.refusal == "403 membership_revoked")
        }
        #expect(answer.wasWoken)
    }

    @Test func aDeletedProjectEndsIt() async throws {
        let scene = try await Scene()
        let pull = try await held(try await scene.client(.viewer), scene)
        _ = try await scene.client(.owner).send("DELETE", "/projects/p1/")
        let answer = try await pull.value
        #expect(answer.refusal == "410 project_deleted")
        #expect(answer.wasWoken)
    }

    @Test func anotherRoleEndsIt() async throws {
        let scene = try await Scene()
        let pull = try await held(try await scene.client(.viewer), scene)
        try await scene.bench.setRole(of: .viewer, to: .member)
        let answer = try await pull.value
        #expect(answer.status == 200)
        #expect(answer.wasWoken)
    }

    @Test func aRevokedTokenEndsIt() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let pull = try await held(viewer, scene)
        let token = try #require(
            try await viewer.send("GET", "/auth/tokens/").json["results"]?.array?.first?["id"]?.text)
        _ = try await viewer.send("DELETE", "/auth/tokens/\(token)/")
        #expect(try await pull.value.refusal == "401 unauthorized")
    }

    @Test func aDisabledUserEndsIt() async throws {
        let scene = try await Scene()
        let pull = try await held(try await scene.client(.viewer), scene)
        _ = try await scene.bench.accounts.disableUser(scene.bench.caller(.viewer).username.rawValue)
        #expect(try await pull.value.refusal == "401 unauthorized")
    }

    @Test func anExpiredTokenEndsIt() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(
            named: scene.bench.caller(.viewer).username.rawValue, validFor: .seconds(1))
        #expect(try await held(viewer, scene).value.refusal == "401 unauthorized")
    }

    /// The clock is set forward, so the timer of the token's end comes too late.
    @Test func aTokenThatTheClockHasOvertakenEndsIt() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(
            named: scene.bench.caller(.viewer).username.rawValue, validFor: .seconds(3600))
        let pull = try await held(viewer, scene)
        scene.clock.advance(by: .seconds(7200))
        try await scene.client(.member).upload(created: [["id": "t1", "name": "New"]])
        let answer = try await pull.value
        #expect(answer.refusal == "401 unauthorized")
        #expect(answer.wasWoken)
    }

    @Test func aServerThatStopsEndsIt() async throws {
        let scene = try await Scene()
        let pull = try await held(try await scene.client(.viewer), scene)
        async let stop: Void = scene.server.stop()
        let answer = try await pull.value
        #expect(answer.refusal == "503 busy")
        #expect(answer.header("Retry-After").flatMap(Int.init).map((1...5).contains) == true)
        await stop
    }

    // MARK: Costs

    @Test func whoHangsUpLeavesNothing() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let since = try #require(try await viewer.page().json["timestamp"]?.text)
        let token = try #require(viewer.token)
        let request =
            "GET /projects/p1/sync/?since=\(since)&wait=60 HTTP/1.1\r\nHost: a\r\n"
            + "Authorization: Bearer \(token)\r\n\r\n"
        var connection: RawConnection? = try await RawConnection(scene.server)
        await connection?.send(request)
        while scene.server.listeners() == 0 { await Task.yield() }
        connection = nil
        while scene.server.listeners() > 0 { await Task.yield() }
    }

    @Test func aUserHoldsTwenty() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        var pulls: [Task<Answer, any Error>] = []
        for _ in 0..<20 { pulls.append(try await held(viewer, scene)) }
        let refused = try await viewer.page(["since": "1", "wait": "5", "collections": "risks"])
        #expect(refused.refusal == "429 too_many_streams")
        #expect(refused.header("Retry-After").flatMap(Int.init) != nil)
        try await scene.client(.member).upload(created: [["id": "t1", "name": "New"]])
        for pull in pulls {
            let answer = try await pull.value
            #expect(answer.ids("tasks") == ["t1"])
            #expect(answer.wasWoken)
        }
    }
}
