import Foundation
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

@testable import SyncEngine

/// `projects` in a batch over all projects: made, changed and deleted offline.
@Suite struct NewProjectTests {
    private let scene: Scene
    let phone: Client

    init() async throws {
        scene = try await Scene()
        phone = try await scene.client(.member).ofAllProjects
    }

    private func exists(_ project: String) async throws -> Bool {
        try await scene.bench.store.read { try $0.project(project) != nil }
    }

    /// The project, its rows and rows of another project are one transaction, and a retry makes nothing twice.
    @Test func aProjectAndItsRowsAreMadeOfflineAndOnce() async throws {
        let since = try await phone.drain().timestamp
        let changes: JSON = [
            "projects": ["created": [Self.project()]],
            "sprints": ["created": [Self.row("s", ["start_date": "2026-06-01", "finish_date": "2026-06-14"])]],
            "tasks": [
                "created": [Self.row("b", ["parent": "a", "sprint": "s"]), Self.row("a"), Self.row("c", in: "p1")]
            ],
        ]
        let body: JSON = [
            "client_batch_id": .string(UUID().uuidString), "changes": changes, "last_pulled_at": .int(since),
        ]
        let answer = try await phone.post(body)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/applied/projects/created/0/server_version") == 1)
        #expect(answer.at("/timestamps/new") == 1 && answer.at("/timestamps/p1") != nil)
        let again = try await phone.post(body)
        #expect(again.text == answer.text && again.header("Idempotent-Replayed") == "true")
        let drain = try await phone.drain(since: since)
        #expect(drain.timestamp == since + 1, "one commit of the installation")
        #expect(drain.ids("tasks") == ["a", "b", "c"] && drain.ids("projects") == ["new"])
        #expect(drain.row("projects", "new")?["project_id"] == "new")
        let id = NewProject.calendarID(of: "new")
        #expect(drain.row("projects", "new")?["calendar"] == .string(id))
        #expect(drain.row("calendars", id)?["name"] == "Standard")
        let membership = drain.rows.first { $0.key.collection == "memberships" && $0.value["project_id"] == "new" }
        #expect(membership?.value["user"] == scene.userID(.member))
        #expect(membership?.value["role"] == .int(Int64(Role.owner.rawValue)))
        #expect(try await scene.bench.existing("new").brokenInvariants() == [])
    }

    /// A refused project takes along the rows that name it, and the other projects of the batch are applied.
    @Test(arguments: ["reject_batch", "reject_rows", "repair"]) func aRefusedProjectIsNotMade(mode: String) async throws
    {
        let id = UUID().uuidString
        let members: [String: JSON] = ["client_batch_id": .string(id)]
        func changes(_ project: JSON) -> JSON {
            [
                "projects": ["created": [project]],
                "tasks": [
                    "created": [Self.row("a"), Self.row("b", ["parent": "a"]), Self.row("c", in: "p1")],
                    "updated": [["id": "a", "name": "Changed"]],
                ],
            ]
        }
        let answer = try await upload(changes(Self.project("new", ["name": nil])), mode: mode, members)
        #expect(try await !exists("new"))
        if mode == "reject_batch" {
            #expect(answer.status == 400 && answer.at("/errors/0/id") == "new", "\(answer.text)")
        } else {
            #expect(answer.status == 200, "\(answer.text)")
            #expect(answer.at("/rejected_ids/projects") == ["new"])
            #expect(Set((answer.at("/rejected_ids/tasks") ?? []).strings) == ["a", "b"])
            let codes = Set((answer.at("/rejected/tasks")?.array ?? []).compactMap { $0["code"]?.string })
            #expect(codes == ["not_found"], "\(answer.text)")
            #expect(answer.json["timestamps"]?.object?.keys.map { $0 } == ["p1"])
        }
        #expect(try await phone.drain().ids("tasks") == (mode == "reject_batch" ? [] : ["c"]))
        let next = try await upload(changes(Self.project()), mode: mode)
        #expect(next.status == 200 && next.at("/rejected_ids") == [:], "\(next.text)")
        #expect(try await phone.drain().row("tasks", "a")?["name"] == "Changed")
    }

    /// A row of the new project that is refused stays behind; the project does not.
    @Test func aRefusedRowDoesNotTakeItsProjectAlong() async throws {
        let answer = try await upload(
            [
                "projects": ["created": [Self.project()]],
                "tasks": ["created": [Self.row("a"), Self.row("b", ["parent": "nowhere"])]],
            ], mode: "reject_rows")
        #expect(answer.at("/rejected_ids") == ["tasks": ["b"]], "\(answer.text)")
        #expect(try await phone.drain().ids("tasks") == ["a"])
    }

    /// An id that somebody else's project has is like any id that can't be used. Its rows tell the same as ever.
    @Test(arguments: [false, true]) func aForeignProjectIsUnavailable(isDeleted: Bool) async throws {
        let foreign = try await scene.otherProject("p9")
        if isDeleted {
            try await foreign.items.delete("p9", in: foreign.registry.projects, if: .none, by: foreign.caller(.owner))
        }
        let answer = try await upload(
            ["projects": ["created": [Self.project("p9")]], "tasks": ["created": [Self.row("c", in: "p1")]]],
            mode: "repair")
        #expect(answer.at("/rejected/projects/0/code") == "id_unavailable", "\(answer.text)")
        #expect(answer.at("/rejected_ids") == ["projects": ["p9"]])
        #expect(answer.at("/applied/tasks/created/0/id") == "c")
        let deletion = try await upload(["projects": ["deleted": ["p9", "never"]]])
        #expect(deletion.at("/skipped/projects")?.array?.map { $0["code"] } == ["not_found", "not_found"])
    }

    /// A project of one's own that was deleted is not revived, and one that was lost not changed.
    @Test func aDeletedOrLostProjectIsNotMadeAgain() async throws {
        let (lost, deleted) = (try await scene.bench.another("lost"), try await scene.bench.another("deleted"))
        try await lost.setRole(of: .member, to: nil)
        try await deleted.items.delete(
            "deleted", in: deleted.registry.projects, if: .none, by: deleted.caller(.owner))
        let answer = try await upload(
            [
                "projects": [
                    "created": [Self.project("lost"), Self.project("deleted")], "updated": [Self.project("other")],
                ]
            ], mode: "reject_rows")
        let rejected = answer.at("/rejected/projects")?.array ?? []
        #expect(rejected.map { $0["code"] } == ["project_deleted", "membership_revoked"], "\(answer.text)")
        #expect(answer.at("/applied/projects/updated/0/id") == "other")
    }

    /// Changing takes the role ADMIN, deleting OWNER, as over REST. What is refused is delivered again.
    @Test func changesAndDeletesTakeTheRolesOfREST() async throws {
        for (role, update, delete) in [
            (Role.scheduler, "forbidden", "forbidden"), (.admin, nil, "forbidden"), (.owner, nil, nil),
        ] {
            let client = try await scene.client(role).ofAllProjects
            let edit: JSON = ["id": "p1", "name": .string("By \(role)"), "_changed": "name"]
            func codes(_ bucket: JSON) async throws -> JSON? {
                let body: JSON = [
                    "client_batch_id": .string(UUID().uuidString), "on_error": "reject_rows",
                    "changes": ["projects": bucket],
                ]
                return try await client.post(body).at("/rejected/projects/0/code")
            }
            #expect(try await codes(["updated": [edit]]) == update.map(JSON.string))
            #expect(try await codes(["deleted": ["p1"]]) == delete.map(JSON.string))
        }
        let answer = try await phone.send("GET", "/api/v1/projects/p1/")
        #expect(answer.json["code"] == "project_deleted")
        #expect(try await scene.bench.brokenInvariants() == [])
    }

    /// An archived project takes nothing but its own deletion, as over REST.
    @Test func anArchivedProjectCanBeDeleted() async throws {
        try await scene.insertTasks(["t"])
        try await scene.archive()
        let owner = try await scene.client(.owner).ofAllProjects
        let body: JSON = [
            "client_batch_id": .string(UUID().uuidString), "on_error": "reject_rows",
            "changes": ["projects": ["deleted": ["p1"]], "tasks": ["updated": [["id": "t", "name": "Edited"]]]],
        ]
        let answer = try await owner.post(body)
        #expect(answer.at("/applied/projects/deleted") == ["p1"], "\(answer.text)")
        #expect(answer.at("/rejected/tasks/0/code") == "project_archived")
        #expect(answer.at("/rejected_ids/tasks") == ["t"])
        #expect(try await scene.bench.brokenInvariants() == [])
    }

    /// A project that is made and deleted in one batch is a tombstone with all of its rows.
    @Test func aProjectThatIsMadeAndDeletedIsGone() async throws {
        let answer = try await upload([
            "projects": ["created": [Self.project()], "deleted": ["new"]], "tasks": ["created": [Self.row("a")]],
        ])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/skipped/tasks/0/code") == "parent_deleted")
        #expect(try await phone.drain().ids("projects") == ["p1"])
        #expect(try await scene.bench.existing("new").brokenInvariants() == [])
        let again = try await upload(["projects": ["created": [Self.project()]]], mode: "repair")
        #expect(again.at("/rejected/projects/0/code") == "project_deleted", "\(again.text)")
    }

    /// The history of the project's row lets edits of different fields be merged.
    @Test func editsOfAProjectMerge() async throws {
        let owner = try await scene.client(.owner).ofAllProjects
        let since = try await owner.drain().timestamp
        let theirs = try await scene.client(.admin).patch("projects", "p1", ["name": "Theirs"])
        #expect(theirs.status == 200, "\(theirs.text)")
        func edit(_ fields: JSON) async throws -> Answer {
            let row = fields.setting(["id": "p1"])
            return try await owner.post([
                "client_batch_id": .string(UUID().uuidString), "last_pulled_at": .int(since),
                "on_conflict": "merge", "changes": ["projects": ["updated": [row]]],
            ])
        }
        let merged = try await edit(["description": "Mine"])
        #expect(merged.at("/applied/projects/updated/0/id") == "p1", "\(merged.text)")
        let conflict = try await edit(["name": "Mine"])
        #expect(conflict.at("/conflicts/projects/0/fields") == ["name"], "\(conflict.text)")
        let row = try await owner.drain().row("projects", "p1")
        #expect(row?["name"] == "Theirs" && row?["description"] == "Mine")
    }

    /// A batch of one project can't hold projects, and says where they go.
    @Test func aBatchOfOneProjectTakesNoProjects() async throws {
        let answer = try await scene.client(.owner).post([
            "client_batch_id": .string(UUID().uuidString), "changes": ["projects": ["created": [Self.project()]]],
        ])
        #expect(answer.status == 400 && answer.json["code"] == "collection_not_uploadable")
        #expect(answer.json["detail"]?.string?.contains("POST /sync/") == true)
        let schemas = try await phone.send("GET", "/api/v1/schemas/").json["collections"]?.array ?? []
        let projects = try #require(schemas.first { $0["title"] == "projects" })
        #expect(projects["x-uploadable-user-wide"] == true && projects["x-uploadable"] != true)
    }

    /// WatermelonDB's own push makes a project, too.
    @Test func theStockPushMakesAProject() async throws {
        let since = try await phone.drain().timestamp
        let row = Self.project("new", ["_status": "created", "_changed": "", "calendar": "", "project_id": "new"])
        let task = Self.row("a", ["_status": "created", "_changed": ""])
        let body: JSON = [
            "projects": ["created": [row], "updated": [], "deleted": []],
            "tasks": ["created": [task], "updated": [], "deleted": []],
        ]
        let answer = try await phone.send(
            "POST", "/api/v1/sync/?last_pulled_at=\(since)&on_error=repair", body.data)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await phone.drain().ids("tasks") == ["a"])
    }

    /// Nothing is written in an archived project, also if its deletion is refused.
    @Test func aRefusedDeletionOfAnArchivedProjectWritesNothing() async throws {
        try await scene.archive()
        let before = try await scene.client(.owner).head()
        let answer = try await upload(["projects": ["deleted": ["p1"]]], mode: "reject_rows")
        #expect(answer.at("/rejected/projects/0/code") == "project_archived", "\(answer.text)")
        #expect(answer.at("/rejected_ids/projects") == ["p1"] && answer.json["timestamps"] == [:])
        #expect(try await scene.client(.owner).head() == before)
    }
}

/// Makes rows of the project `new`, and uploads them.
protocol UploadsProjects {
    var phone: Client { get }
}

extension NewProjectTests: UploadsProjects {}

extension UploadsProjects {
    static func project(_ id: String = "new", _ fields: [String: JSON] = [:]) -> JSON {
        (["id": .string(id), "name": "Boat", "start_date": "2026-06-01"] as JSON).setting(fields)
    }

    static func row(_ id: String, in project: String = "new", _ fields: [String: JSON] = [:]) -> JSON {
        (["id": .string(id), "name": "Row", "project_id": .string(project)] as JSON).setting(fields)
    }

    func upload(_ changes: JSON, mode: String = "reject_batch", _ members: [String: JSON] = [:]) async throws
        -> Answer
    {
        try await phone.post(
            (["client_batch_id": .string(UUID().uuidString), "changes": changes, "on_error": .string(mode)] as JSON)
                .setting(members))
    }
}
