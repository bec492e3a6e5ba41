import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

/// Authors of rows may do more than their role lets them do with the rows of others.
@Suite struct AuthorRightsTests {
    private static let notes = OwnSchemas.notes(
        [
            "text": ["type": "string", "default": ""],
            "label": ["type": "string", "default": "", "x-role": "ADMIN"],
            "author": ["type": ["integer", "null"], "readOnly": true, "x-value": "caller"],
        ],
        ["x-roles": ["create": "VIEWER", "update": "ADMIN", "delete": "OWNER", "author": ["update", "delete"]]])

    private let scene: Scene
    private let viewer: Client
    private let member: Client

    init() async throws {
        let archived: JSON = ["type": "boolean", "default": false, "readOnly": true]
        let fields = OwnSchemas.projects["properties"]!.setting(["is_archived": archived])
        scene = try await Scene(schemas: [Self.notes, OwnSchemas.projects.setting(["properties": fields])])
        viewer = try await scene.client(.viewer)
        member = try await scene.client(.member)
        for id in ["n", "o"] { try await viewer.create("notes", ["id": .string(id)]) }
    }

    private func text(_ id: String) async throws -> JSON? { try await viewer.read("notes", id).at("/text") }

    @Test func anAuthorChangesAndDeletesItsRows() async throws {
        #expect(try await viewer.patch("notes", "n", ["text": "mine"]).status == 200)
        #expect(try await member.patch("notes", "n", ["text": "yours"]).code == "forbidden")
        #expect(try await text("n") == "mine")
        #expect(try await member.remove("notes", "n").code == "forbidden")
        #expect(try await viewer.remove("notes", "n").status == 204)
        let admin = try await scene.client(.admin)
        #expect(try await admin.patch("notes", "o", ["text": "by role"]).status == 200)
        #expect(try await admin.remove("notes", "o").code == "forbidden")
    }

    @Test func uploadsAreJudgedAlike() async throws {
        let change: JSON = ["id": "n", "text": "sent"]
        let refused = try await member.upload("notes", updated: [change], deleted: ["o"])
        #expect(refused.code == "forbidden", "\(refused.text)")
        #expect(try await text("n") == "")
        #expect(try await viewer.upload("notes", updated: [change], deleted: ["o"]).status == 200)
        #expect(try await text("n") == "sent")
        #expect(try await viewer.read("notes", "o").status == 404)
    }

    @Test func aRowOfTheSameBatchIsTheSenders() async throws {
        let new: JSON = ["id": "b", "text": "one"]
        let answer = try await viewer.upload("notes", created: [new], updated: [["id": "b", "text": "two"]])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await text("b") == "two")
    }

    @Test func aFieldsRoleStaysTheFloor() async throws {
        #expect(try await viewer.patch("notes", "n", ["label": "L"]).code == "field_forbidden")
        #expect(try await viewer.upload("notes", updated: [["id": "n", "label": "L"]]).code == "field_forbidden")
    }

    @Test func anAuthorWhoCanNotWriteIsRefused() async throws {
        try await scene.archive()
        #expect(try await viewer.patch("notes", "n", ["text": "late"]).code == "project_archived")
        #expect(try await viewer.remove("notes", "n").code == "project_archived")
    }

    @Test func aDryRunSaysTheSame() async throws {
        #expect(try await viewer.send("DELETE", "/notes/n/?dry_run=true").status == 200)
        #expect(try await member.send("DELETE", "/notes/n/?dry_run=true").code == "forbidden")
    }
}
