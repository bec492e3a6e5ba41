import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// `GET /admin/audit/`.
@Suite struct AuditTests {
    private let scene: Scene
    private let root: Client

    init() async throws {
        scene = try await Scene(accounts: Scene.unlimited)
        root = try await scene.freshSuperuser()
    }

    private func entries(_ query: String = "") async throws -> [JSON] {
        let answer = try await root.send("GET", "/admin/audit/?limit=500\(query)")
        #expect(answer.status == 200)
        return answer.json["results"]?.array ?? []
    }

    /// The actions of what `body` does, oldest first.
    private func actions(_ body: () async throws -> Void) async throws -> [String] {
        let before = try await entries().count
        try await body()
        return try await entries().dropLast(before).reversed().compactMap { $0["action"]?.string }
    }

    @Test func onlySuperusersRead() async throws {
        for (who, client) in try await scene.cast(superuser: "operator") {
            let answer = try await client.send("GET", "/admin/audit/")
            let expected = who == .superuser ? 200 : who == .anonymous ? 401 : 403
            #expect(answer.status == expected, "\(who)")
        }
    }

    @Test func whatACommandDoesIsTheSystemAccounts() async throws {
        let alice = try await scene.addAlice()
        let entry = try #require(try await entries().first)
        #expect(entry["action"] == "user_added" && entry["user_id"] == .int(alice) && entry["username"] == "alice")
        #expect(entry.at("/actor/user_id") == .null && entry.at("/actor/credential") == "command")
        #expect(entry.at("/actor/name")?.string?.isEmpty == false)
        #expect(entry["details"] == ["superuser": false, "password": true])
    }

    @Test func whatASuperuserDoesHasTheUserTheSessionAndTheAddress() async throws {
        let alice = try await scene.addAlice()
        let path = "/admin/users/\(alice)/"
        let done = try await actions {
            _ = try await root.send("PATCH", path, (["is_disabled": true] as JSON).data)
            _ = try await root.send("PATCH", path, (["is_disabled": false] as JSON).data)
            _ = try await root.send("PATCH", path, (["display_name": "A"] as JSON).data)
            _ = try await root.send("PUT", path + "password/", (["password": "another horse"] as JSON).data)
            _ = try await root.send("DELETE", path + "credentials/")
            _ = try await root.send("DELETE", path)
        }
        #expect(
            done == [
                "user_disabled", "user_enabled", "user_renamed", "password_set", "credentials_revoked", "user_removed",
            ])
        for entry in try await entries().prefix(6) {
            #expect(entry.at("/actor/name") == "root" && entry.at("/actor/address") == "127.0.0.1")
            #expect(entry.at("/actor/credential")?.string?.hasPrefix("session:") == true)
            #expect(entry["user_id"] == .int(alice))
        }
    }

    @Test func refusedChangesLeaveNoEntry() async throws {
        let alice = try await scene.addAlice()
        let done = try await actions {
            _ = try await root.send("POST", "/admin/users/", (["username": "alice"] as JSON).data)
            _ = try await root.send("PUT", "/admin/users/\(alice)/password/", (["password": "x"] as JSON).data)
            _ = try await root.send("DELETE", "/admin/users/\(scene.userID(.owner).int!)/")
            _ = try await scene.client(.viewer).send(
                "DELETE", "/projects/\(scene.bench.project)/")
        }
        // The viewer's own token.
        #expect(done == ["token_created"])
    }

    @Test func usersOwnChangesOfTheirCredentialsAreKept() async throws {
        try await scene.addAlice()
        let login = try await scene.stranger.logIn()
        let alice = scene.stranger.bearing(login.access)
        let done = try await actions {
            let token = try await alice.send("POST", "/auth/tokens/", (["name": "laptop"] as JSON).data).json
            _ = try await alice.send("DELETE", "/auth/tokens/\(token["id"]!.int!)/")
            let body: JSON = ["current_password": .string(Scene.password), "new_password": "another horse"]
            _ = try await alice.send("POST", "/auth/password/", body.data)
        }
        #expect(done == ["token_created", "token_revoked", "password_changed"])
        #expect(try await entries().allSatisfy { !$0.text.contains("horse") })
    }

    @Test func whatBecomesOfMembersAndProjectsIsKept() async throws {
        let alice = try await scene.addAlice()
        let owner = try await scene.client(.owner)
        let project = "/projects/\(scene.bench.project)/"
        let done = try await actions {
            let body: JSON = ["user": .int(alice), "role": 100]
            let member = try await owner.send("POST", project + "memberships/", body.data).json
            let row = "/memberships/\(member["id"]!.string!)/"
            _ = try await owner.send("PATCH", row, (["role": 300] as JSON).data)
            // No change, no entry.
            _ = try await owner.send("PATCH", row, (["role": 300] as JSON).data)
            _ = try await owner.send("DELETE", row)
            _ = try await owner.send("POST", project + "archive/")
            _ = try await owner.send("POST", project + "unarchive/")
            _ = try await owner.send("PATCH", project, (["name": "New"] as JSON).data)
            _ = try await owner.send("DELETE", project)
            _ = try await owner.send("POST", "/projects/", (["name": "Next", "start_date": "2026-06-01"] as JSON).data)
        }
        #expect(
            done == [
                "member_added", "role_changed", "member_removed", "project_archived", "project_unarchived",
                "project_deleted", "project_created",
            ])
        let changed = try #require(try await entries("&action=role_changed").first)
        #expect(changed["details"] == ["before": 100, "after": 300] && changed["user_id"] == .int(alice))
        #expect(changed["project_id"] == .string(scene.bench.project))
        #expect(changed.at("/actor/address") == "127.0.0.1")
    }

    @Test func projectsMadeByUploadAndCommandsAreKept() async throws {
        let owner = try await scene.client(.owner)
        let since = try await owner.ofAllProjects.drain().timestamp
        let project: JSON = ["id": "made-offline", "name": "Offline", "start_date": "2026-06-01"]
        let batch: JSON = [
            "client_batch_id": .string(UUID().uuidString), "last_pulled_at": .int(since),
            "changes": ["projects": ["created": [project]]],
        ]
        let done = try await actions {
            let answer = try await owner.send("POST", "/sync/", batch.data)
            #expect(answer.status == 200, "\(answer.text)")
            // A repeat is no second one.
            _ = try await owner.send("POST", "/sync/", batch.data)
            try await scene.bench.members.removeMember(
                scene.bench.caller(.viewer).username.rawValue, from: scene.bench.project)
        }
        #expect(done == ["project_created", "member_removed"])
        let made = try #require(try await entries("&project=made-offline").first)
        #expect(made.at("/actor/name")?.string == scene.bench.caller(.owner).username.rawValue)
    }

    @Test func aForgottenDeviceIsKept() async throws {
        let member = try await scene.client(.member)
        let done = try await actions {
            _ = try await member.page(headers: ["Tidemark-Device-Id": "tablet"])
            _ = try await member.send("DELETE", "/devices/tablet/")
            _ = try await member.send("DELETE", "/devices/tablet/")
        }
        #expect(done == ["device_forgotten"])
    }

    @Test func theListIsPagedAndFiltered() async throws {
        let alice = try await scene.addAlice()
        let all = try await entries()
        var (paged, next): ([JSON], String?) = ([], "")
        while let after = next {
            let query = after.isEmpty ? "" : "&after=\(after)"
            let page = try await root.send("GET", "/admin/audit/?limit=3\(query)").json
            paged += page["results"]?.array ?? []
            next = page["next"]?.string
        }
        #expect(paged == all && all.count > 6)
        let hers = try await entries("&user=\(alice)")
        #expect(hers == all.filter { $0["user_id"] == .int(alice) || $0.at("/actor/user_id") == .int(alice) })
        for query in ["action=nothing", "user=x", "after=-1", "actoin=user_added"] {
            #expect(try await root.send("GET", "/admin/audit/?\(query)").code == "invalid_parameter", "\(query)")
        }
    }

    @Test func entriesAreKeptForAYear() async throws {
        try await scene.addAlice()
        scene.clock.advance(by: .seconds(365 * 86_400))
        let kept = {
            try await scene.bench.store.read(.installation) {
                try $0.audit(AuditSelection(since: Instant(milliseconds: 0)), limit: 500).count
            }
        }
        let purge = RecordPurge(
            store: scene.bench.store, clock: scene.clock.wallClock, retention: SyncSettings().uploadRetention)
        try await purge.purge()
        #expect(try await kept() > 0)
        scene.clock.advance(by: .seconds(1))
        let root = scene.stranger.bearing(try await scene.stranger.logIn("root").access)
        #expect(try await root.send("GET", "/admin/audit/").json["results"] == [])
        try await purge.purge()
        #expect(try await kept() == 0)
    }
}
