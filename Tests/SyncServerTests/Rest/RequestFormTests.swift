import SyncProtocol
import SyncTestKit
import Testing

/// Requests that do not mean what they seem to mean.
@Suite struct RequestFormTests {
    @Test(arguments: ["t1%00x", "t1%00", "%00t1", "t1%20", "t1%0A", "t%2F1", "..%2Ft1"])
    func anIDWithMoreInItIsNotTheRows(id: String) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        #expect(try await member.read("tasks", id).status == 404)
        #expect(try await member.patch("tasks", id, ["name": "X"]).status == 404)
        #expect(try await member.remove("tasks", id).status == 404)
        #expect(try await member.read("projects", "p1%00").status == 404)
        #expect(try await member.send("GET", "/projects/p1%00x/sync/").status == 404)
        #expect(try await member.read("tasks", "t1").status == 200)
    }

    /// Sends raw bytes: `URL` can't hold a path that is not UTF-8, and the client would request `/`.
    @Test(.timeLimit(.minutes(30)), arguments: ["GET", "DELETE"])
    func anIDThatIsNoTextIsNotTheRows(method: String) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let connection = try await RawConnection(scene.server)
        await connection.send(
            "\(method) /api/v1/tasks/t1%FF/ HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer \(member.token ?? "")\r\n\r\n"
        )
        #expect(await connection.received(until: "}").hasPrefix("HTTP/1.1 404"))
        #expect(try await member.read("tasks", "t1").status == 200)
    }

    @Test func aTagThatIsNotTheRowsByteForByteIsStale() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        for tag in ["\"01\"", "\"+1\""] {
            #expect(try await member.patch("tasks", "t1", ["name": "X"], headers: ["If-Match": tag]).status == 412)
        }
    }

    @Test func problemsOfANewProjectPointIntoTheBody() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.create("projects", ["name": 7, "start_date": "2026-01-05"])
        #expect(answer.status == 400 && answer.errors == ["/name wrong_type"], "\(answer.text)")
        let calendar = try await member.create(
            "projects", ["name": "P", "start_date": "2026-01-05", "calendar": "nowhere"])
        #expect(calendar.status == 400 && calendar.errors == ["/calendar unknown_reference"], "\(calendar.text)")
    }
}
