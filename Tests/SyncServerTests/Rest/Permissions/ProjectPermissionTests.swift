import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// Who may do what to projects themselves.
@Suite struct ProjectPermissionTests {
    private static let columns: [Who] = [
        .viewer, .member, .scheduler, .admin, .owner, .superuser, .readOnly, .outsider, .exMember, .anonymous,
    ]

    /// As in `PermissionTables`; `N` 403 `not_a_member`, `X` 403 `membership_revoked`, `U` 401.
    private static let table = """
        read       + + + + + + + N X U
        patch      F F F + + + R N X U
        archive    F F F F + + R N X U
        unarchive  F F F F + + R N X U
        delete     F F F F + + R N X U
        """
    private static let words: [Substring: String] = [
        "F": "403 forbidden", "R": "403 read_only_token", "N": "403 not_a_member", "X": "403 membership_revoked",
        "U": "401 unauthorized",
    ]

    @Test(arguments: Who.allCases) func everybodyMayWhatTheTableSays(who: Who) async throws {
        let scene = try await Scene()
        let client = try #require(try await scene.cast()[who])
        for line in Self.table.split(separator: "\n").map({ $0.split(separator: " ") }) {
            let verb = String(line[0])
            let before = (try await scene.bench.head(), try await scene.bench.record("projects", "p1"))
            let answer = try await ask(client, verb)
            let word = line[1 + Self.columns.firstIndex(of: who)!]
            let expected = Self.words[word] ?? (verb == "delete" ? "204" : "200")
            #expect(answer.verdict == expected, "projects: \(verb) by \(who): \(answer.text)")
            guard answer.status >= 300 else { continue }
            let after = (try await scene.bench.head(), try await scene.bench.record("projects", "p1"))
            #expect(after == before, "projects: \(verb) by \(who) changed something")
        }
    }

    private func ask(_ client: Client, _ verb: String) async throws -> Answer {
        let path = "/api/v1/projects/p1/"
        switch verb {
        case "read": return try await client.send("GET", path)
        case "patch": return try await client.send("PATCH", path, Data(#"{"description":"changed"}"#.utf8))
        case "delete": return try await client.send("DELETE", path)
        default: return try await client.send("POST", path + verb + "/")
        }
    }

    @Test(arguments: Who.allCases) func everyUserMayCreateAProjectAndOwnsIt(who: Who) async throws {
        let scene = try await Scene()
        let client = try #require(try await scene.cast()[who])
        let body: JSON = ["id": "mine", "name": "Mine", "start_date": "2026-01-05"]
        let answer = try await client.send("POST", "/api/v1/projects/", body.data)
        switch who {
        case .anonymous: #expect(answer.verdict == "401 unauthorized")
        case .readOnly: #expect(answer.verdict == "403 read_only_token")
        default:
            #expect(answer.status == 201, "\(who): \(answer.text)")
            let members = try await client.send("GET", "/api/v1/projects/mine/memberships/").at("/results")?.array
            #expect(members?.map { $0["role"] } == [400])
            let calendars = try await client.send("GET", "/api/v1/projects/mine/calendars/").at("/results")?.array
            #expect(calendars?.map { $0["id"] } == [answer.at("/calendar")])
            #expect(try await client.send("DELETE", "/api/v1/projects/mine/").status == 204)
        }
    }

    @Test func theListHoldsOnesOwnProjectsAndASuperusersAll() async throws {
        let scene = try await Scene()
        let expected: [Who: [String]] = [
            .viewer: ["p1"], .owner: ["p1"], .readOnly: ["p1"], .superuser: ["p1", "p2"], .outsider: ["p2"],
            .exMember: [],
        ]
        let cast = try await scene.cast()
        for (who, ids) in expected {
            let answer = try await cast[who]!.send("GET", "/api/v1/projects/")
            #expect(answer.at("/results")?.array?.compactMap { $0["id"]?.string } == ids, "\(who)")
        }
        #expect(try await cast[.anonymous]!.send("GET", "/api/v1/projects/").verdict == "401 unauthorized")
    }

    @Test func anUnknownProjectIsNotFoundAndADeletedOneIsGoneForEverybody() async throws {
        let scene = try await Scene()
        var cast = try await scene.cast()
        try await scene.deleteProject()
        cast[.anonymous] = nil
        for (who, client) in cast {
            for (id, verdict) in [("never-was", "404 not_found"), ("p1", "410 project_deleted")] {
                var client = client
                client.project = id
                let path = "/api/v1/projects/\(id)/"
                let answers = [
                    try await client.send("GET", path), try await client.send("PATCH", path, Data("{}".utf8)),
                    try await client.send("DELETE", path), try await client.send("POST", path + "archive/"),
                    try await client.list("tasks"), try await client.create("tasks", ["name": "A"]),
                    try await client.page(),
                ]
                #expect(Set(answers.map(\.verdict)) == [verdict], "\(id) by \(who): \(answers.map(\.verdict))")
            }
        }
    }

    @Test func aProblemOfANewProjectPointsIntoTheBody() async throws {
        let scene = try await Scene()
        let client = try await scene.client(.viewer)
        let cases: [(JSON, [String])] = [
            (["name": "A"], ["/start_date required"]),
            (["name": 5, "start_date": "x"], ["/name wrong_type", "/start_date bad_format"]),
            (["name": "A", "start_date": "2026-01-05", "calendar": "nope"], ["/calendar unknown_reference"]),
            (["name": "A", "start_date": "2026-01-05", "is_archived": true], ["/is_archived read_only_field"]),
            (["name": "A", "start_date": "2026-01-05", "x": 1], ["/x unknown_field"]),
            (["name": "A", "start_date": "2026-01-05", "id": "-"], ["/id invalid_id"]),
            (["name": "A", "start_date": "2026-01-05", "id": 7], ["/id invalid_id"]),
        ]
        for (body, errors) in cases {
            let answer = try await client.send("POST", "/api/v1/projects/", body.data)
            #expect(answer.verdict == "400 invalid_rows", "\(body.text): \(answer.text)")
            #expect(answer.errors == errors, "\(body.text): \(answer.text)")
        }
    }
}
