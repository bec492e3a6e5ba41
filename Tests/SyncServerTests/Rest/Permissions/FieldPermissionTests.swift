import Foundation
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

/// Fields with rules of their own, over REST.
@Suite struct FieldPermissionTests {
    @Test func aScheduledFieldIsWrittenFromTheRoleSchedulerOn() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        for role in Role.allCases {
            let client = try await scene.client(role)
            for (field, value) in FieldRoleTests.scheduled {
                let head = try await scene.bench.head()
                let patched = try await client.patch("tasks", "t1", .object([field: value, "notes": "x"]))
                let created = try await client.create("tasks", .object(["name": "B", field: value]))
                switch role {
                case .viewer:
                    #expect([patched.verdict, created.verdict] == ["403 forbidden", "403 forbidden"])
                case .member:
                    #expect([patched.verdict, created.verdict] == ["403 field_forbidden", "403 field_forbidden"])
                    #expect(patched.errors == ["/\(field) field_forbidden"])
                    #expect(created.errors == ["/\(field) field_forbidden"])
                default:
                    #expect([patched.verdict, created.verdict] == ["200", "201"], "\(role) \(field): \(patched.text)")
                    #expect(patched.at("/\(field)") == value)
                    #expect(created.at("/\(field)") == value)
                    // Resets the field to its default for the next role.
                    _ = try await client.patch("tasks", "t1", .object([field: .null, "notes": ""]))
                }
                if role < .scheduler { #expect(try await scene.bench.head() == head, "\(role) \(field)") }
            }
        }
    }

    @Test func whatIsUnchangedNeedsNoRole() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"], FieldRoleTests.scheduled)
        let patch = JSON.object(FieldRoleTests.scheduled.merging(["notes": "x"]) { $1 })
        #expect(try await scene.client(.member).patch("tasks", "t1", patch).verdict == "200")
    }

    /// The verdict for a change of `team_visibility` by each role, for a retro whose author is the member.
    @Test func theVisibilityOfARetroIsItsAuthorsAndAnAdmins() async throws {
        let scene = try await Scene()
        let retro = Specimen("sprint_retros", "re1")
        guard case .int(let author) = scene.userID(.member) else { return }
        try await scene.bench.plant([retro], author: author)
        let expected: [Role: String] = [
            .viewer: "403 forbidden", .member: "200", .scheduler: "403 field_forbidden", .admin: "200", .owner: "200",
        ]
        for (role, verdict) in expected {
            let client = try await scene.client(role)
            let answer = try await client.patch("sprint_retros", "re1", ["team_visibility": "org", "notes": "x"])
            #expect(answer.verdict == verdict, "\(role): \(answer.text)")
            try await scene.bench.edit {
                try $0.update("sprint_retros", "re1", ["team_visibility": "project", "notes": ""])
            }
        }
        let other = try await scene.client(.scheduler).patch("sprint_retros", "re1", ["notes": "theirs too"])
        #expect(other.verdict == "200")
        #expect(other.at("/created_by") == scene.userID(.member), "the author stays")
    }

    @Test func theVisibilityOfARetroWithoutAnAuthorIsAnAdmins() async throws {
        let scene = try await Scene()
        try await scene.bench.plant([Specimen("sprint_retros", "re1")], author: scene.bench.caller(.owner).userID)
        try await scene.bench.edit { try $0.update("sprint_retros", "re1", ["created_by": .null]) }
        for (role, verdict) in [
            (Role.member, "403 field_forbidden"), (.scheduler, "403 field_forbidden"), (.admin, "200"),
        ] {
            let answer = try await scene.client(role).patch("sprint_retros", "re1", ["team_visibility": "org"])
            #expect(answer.verdict == verdict, "\(role): \(answer.text)")
        }
    }

    @Test(arguments: ["team_only", "project", "org"]) func whoCreatesARetroChoosesItsVisibility(visibility: JSON)
        async throws
    {
        let scene = try await Scene()
        try await scene.insertSprint("s1")
        let body: JSON = ["sprint": "s1", "team_visibility": visibility]
        let answer = try await scene.client(.member).create("sprint_retros", body)
        #expect(answer.verdict == "201", "\(answer.text)")
        #expect(answer.at("/team_visibility") == visibility)
    }

    /// Every server-owned field and one unknown field, in a create and in a patch.
    @Test(arguments: PermissionTables.tables.keys.sorted())
    func whatOnlyTheServerWritesIsRefusedWithAPointer(collection: String) async throws {
        let scene = try await Scene()
        let owner = try await scene.client(.owner)
        guard case .int(let user) = scene.userID(.owner) else { return }
        let new = try await scene.bench.specimen(collection, "new", user: user)
        let old = try await scene.bench.specimen(collection, "old", user: user)
        try await scene.bench.prepare([new], author: user)
        try await scene.bench.plant([old], author: user)
        let owned = try #require(scene.registry[collection]).fields.filter(\.isServerOwned).map(\.name)
        let head = try await scene.bench.head()
        let cases =
            (owned + ["server_version"]).map { ($0, "read_only_field") }
            + [("sync_seq", "unknown_field"), ("is_deleted", "unknown_field"), ("_status", "unknown_field")]
        for (name, code) in cases {
            let value: JSON = ["server_version", "user", "suggested_by", "created_by"].contains(name) ? 1 : "x"
            let created = try await owner.create(collection, .object(new.fields.merging([name: value]) { $1 }))
            let patched = try await owner.patch(collection, "old", .object(old.patch.merging([name: value]) { $1 }))
            for answer in [created, patched] {
                #expect(answer.verdict == "400 invalid_rows", "\(collection).\(name): \(answer.text)")
                #expect(answer.errors == ["/\(name) \(code)"], "\(collection).\(name): \(answer.text)")
            }
        }
        let renamed = try await owner.patch(collection, "old", ["id": "other"])
        #expect(renamed.errors == ["/id read_only_field"])
        #expect(try await scene.bench.head() == head)
    }

    @Test func allThatIsWrongIsNamedAtOnce() async throws {
        let scene = try await Scene()
        let body: JSON = ["name": 5, "status": "NOPE", "short_id": "1", "nope": 1, "percent_complete": 101]
        let answer = try await scene.client(.member).create("tasks", body)
        #expect(answer.verdict == "400 invalid_rows")
        #expect(
            answer.errors == [
                "/name wrong_type", "/nope unknown_field", "/percent_complete out_of_range",
                "/short_id read_only_field",
                "/status not_in_enum",
            ])
    }
}
