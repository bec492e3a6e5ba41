import GRDB
import SyncProtocol
import Testing

@testable import SyncClientCore

/// Edits are judged on the device as the server will judge them, but never by what may be stale.
@Suite struct EditCheckTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// The texts of a schema for the app and one for the server, which differ in what `name` may be.
    private static func collections(_ name: JSON) -> JSON {
        [
            [
                "title": "tasks", "x-uploadable": true, "required": ["name"],
                "properties": [
                    "name": name, "points": ["type": ["integer", "null"], "minimum": 0, "default": nil],
                    "parent": [
                        "type": ["string", "null"], "default": nil,
                        "x-ref": ["collection": "tasks", "on-delete": "clear"],
                    ],
                    "code": ["type": ["string", "null"], "default": nil, "pattern": "^(a*)*b$"],
                    "zone": ["type": ["string", "null"], "default": nil, "format": "iana-timezone"],
                ],
                "x-unique": [["fields": ["code"]]],
                "x-roles": ["create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"],
            ]
        ]
    }

    private static let short: JSON = ["type": "string", "maxLength": 3]
    private static let long: JSON = ["type": "string", "maxLength": 9]

    private func replica(app: JSON?, server: JSON?) throws -> Replica {
        let path = scratch.path
        let replica = try Replica(
            path: path, scope: .project("p"), schema: app.map { Self.collections($0).text })
        if let server {
            _ = try replica.adopt(ServerSchema(["schema_version": "v1", "collections": Self.collections(server)]))
        }
        return replica
    }

    private func refusal(_ edit: () throws -> Void) -> EditError? {
        do {
            try edit()
            return nil
        } catch { return error as? EditError }
    }

    @Test func aValueThatTheServerWouldRefuseIsRefusedInItsWords() throws {
        let replica = try replica(app: nil, server: Self.short)
        let error = refusal { try replica.insert(["name": "long", "points": -1], into: "tasks", id: "a") }
        #expect(error?.problems.map(\.code) == ["too_long", "out_of_range"])
        #expect(error?.problems.map(\.pointer) == ["/name", "/points"])
        #expect(error?.description == "name must have at most 3 characters. points must be at least 0.")
        #expect(try replica.unsentCount() == 0)
        try replica.insert(["name": "ok", "points": 0], into: "tasks", id: "a")
        #expect(
            refusal { try replica.update("a", in: "tasks", with: ["points": -2]) }?.problems.map(\.code) == [
                "out_of_range"
            ])
    }

    @Test(arguments: [
        (EditCheckTests.short, EditCheckTests.long), (EditCheckTests.long, EditCheckTests.short),
    ])
    func aValueIsRefusedOnlyIfBothSchemasRefuseIt(app: JSON, server: JSON) throws {
        let replica = try replica(app: app, server: server)
        try replica.insert(["name": "123456"], into: "tasks", id: "a")
        #expect(refusal { try replica.insert(["name": "1234567890"], into: "tasks", id: "b") } != nil)
    }

    /// The app takes the text, and the column is the server's.
    @Test func whatTheColumnCantHoldIsNeverStored() throws {
        let replica = try replica(app: Self.long, server: ["type": "integer", "maximum": 9])
        let error = refusal { try replica.insert(["name": "text"], into: "tasks", id: "a") }
        #expect(error == .wrongType("name", collection: "tasks"))
        #expect(error?.problems.map(\.detail) == ["name must be an integer."])
        #expect(try replica.check(["name": "text"], in: "tasks").problems == error?.problems)
        #expect(try replica.unsentCount() == 0)
    }

    @Test func whatIsStoredStays() throws {
        let first = try replica(app: Self.long, server: Self.long)
        try first.insert(["name": "123456"], into: "tasks", id: "a")
        let replica = try replica(app: Self.short, server: Self.short)
        try replica.update("a", in: "tasks", with: ["name": "123456", "points": 1])
        #expect(try replica.row("a")?["points"] == 1)
    }

    /// The server has a value that it would take from nobody now.
    @Test func anEditOfWhatIsStoredCanBeTakenBack() throws {
        let replica = try replica(app: nil, server: Self.short)
        let schema = try #require(try replica.schema())
        let row: JSON = ["id": "a", "server_version": 1, "name": "longer"]
        try replica.take(Fixture.page(Fixture.tasks(updated: [row])), schema: schema)
        try replica.update("a", in: "tasks", with: ["points": 1, "name": "longer"])
        try replica.update("a", in: "tasks", with: ["name": "new"])
        let error = refusal { try replica.update("a", in: "tasks", with: ["name": "long"]) }
        #expect(error?.problems.map(\.code) == ["too_long"])
        #expect(try replica.check(["name": "longer"], in: "tasks", id: "a").problems.isEmpty)
        try replica.update("a", in: "tasks", with: ["name": "longer"])
        let next = try replica.nextBatch(BatchLimits(rows: 9, bytes: 9999), at: .test, newID: { "b" })
        guard case .batch(let batch) = next else { throw SyncError.violation("there is no batch") }
        let sent = try JSON(parsing: batch.body)["changes"]?["tasks"]?["updated"]?.array?.first
        #expect(sent?["points"] == 1)
    }

    /// A browser's or Foundation's engine would take seconds.
    @Test func aPatternTakesStepsByTheLengthOfTheText() throws {
        let replica = try replica(app: nil, server: Self.long)
        let text = JSON.string(String(repeating: "a", count: 4000))
        #expect(refusal { try replica.insert(["name": "n", "code": text], into: "tasks", id: "a") } != nil)
        try replica.insert(["name": "n", "code": "aab"], into: "tasks", id: "a")
    }

    @Test func aZoneThatThisDeviceDoesNotKnowIsStored() throws {
        let replica = try replica(app: nil, server: Self.long)
        try replica.insert(["name": "n", "zone": "Europe/New_Town"], into: "tasks", id: "a")
        #expect(refusal { try replica.insert(["name": "n", "zone": "no zone"], into: "tasks", id: "b") } != nil)
    }

    @Test func whatMayBeStaleIsAWarning() throws {
        let replica = try replica(app: nil, server: Self.long)
        try replica.insert(["name": "n", "code": "ab"], into: "tasks", id: "a")
        let fields: [String: JSON] = ["name": "m", "code": "ab", "parent": "elsewhere"]
        let check = try replica.check(fields, in: "tasks")
        #expect(check.problems.isEmpty)
        #expect(check.warnings.map(\.code) == ["unknown_reference", "not_unique"])
        #expect(check.warnings.last?.existing == "a")
        #expect(
            check.warnings.map(\.detail) == [
                "parent refers to \"elsewhere\", which is not in this project.", "Another row already has this code.",
            ])
        try replica.insert(fields, into: "tasks", id: "b")
        #expect(try replica.check(["code": "ab"], in: "tasks", id: "a").warnings.map(\.existing) == ["b"])
    }

    /// The schema that the app brings makes the tables. The first pull replaces it.
    @Test func anAppBeginsWithoutANetwork() throws {
        let before = try replica(app: Self.long, server: nil)
        try before.insert(["name": "first"], into: "tasks", id: "a")
        let replica = try replica(app: Self.short, server: Self.long)
        #expect(try replica.row("a")?["name"] == "first" && replica.state().schemaVersion == "v1")
        #expect(try replica.unsentCount() == 1)
    }

    @Test func aTextThatIsNoSchemaIsRefused() throws {
        #expect(throws: SyncError.self) {
            _ = try Replica(path: scratch.path, scope: .allProjects, schema: "{}")
        }
    }
}

/// An old role is no reason to refuse an edit: it may have been raised since.
@Suite struct RoleWarningTests {
    @Test func anEditAboveTheRoleIsStoredWithAWarning() throws {
        let scratch = try Scratch()
        let replica = try Replica(path: scratch.path, scope: .allProjects)
        let roles: JSON = ["create": "MEMBER", "update": "SCHEDULER", "delete": "MEMBER", "author": ["update"]]
        _ = try replica.adopt(
            ServerSchema(
                [
                    "schema_version": "v",
                    "collections": [
                        [
                            "title": "projects", "x-uploadable-user-wide": true,
                            "properties": [
                                "name": ["type": "string"],
                                "is_archived": ["type": "boolean", "default": false, "readOnly": true],
                            ],
                        ],
                        [
                            "title": "memberships",
                            "properties": ["user": ["type": "integer"], "role": ["type": "integer"]],
                        ],
                        [
                            "title": "tasks", "x-uploadable": true, "x-roles": roles,
                            "properties": [
                                "name": ["type": "string"], "cost": ["type": "integer", "x-role": "ADMIN"],
                                "secret": ["type": "string", "x-role": "ADMIN", "x-author": "author"],
                                "author": ["type": ["integer", "null"], "readOnly": true, "x-value": "caller"],
                            ],
                        ],
                    ],
                ], allProjects: true))
        try replica.claim(for: 7)
        try replica.write { db in
            try db.execute(
                sql: """
                    INSERT INTO projects (id, project_id, name, is_archived) VALUES ('p', 'p', 'P', 1);
                    INSERT INTO memberships (id, project_id, user, role) VALUES ('m', 'p', 7, 200);
                    INSERT INTO tasks (id, project_id, name, cost, secret, author)
                    VALUES ('t', 'p', 'T', 1, '', 7), ('u', 'p', 'U', 1, '', 8)
                    """)
        }
        let warnings = { try replica.check($0, in: "tasks", id: $1).warnings.map(\.code) }
        #expect(try warnings(["cost": 2], "t") == ["project_archived", "field_forbidden"])
        #expect(
            try replica.check(["cost": 2], in: "tasks", id: "t").warnings.map(\.detail) == [
                "The project is archived. An owner can unarchive it.", "Writing cost needs the role ADMIN or above.",
            ])
        #expect(try warnings(["name": "U"], "t") == ["project_archived"])
        #expect(try warnings(["secret": "mine"], "t") == ["project_archived"])
        #expect(try warnings(["secret": "another's"], "u") == ["project_archived", "field_forbidden"])
        try replica.write {
            try $0.execute(sql: "UPDATE memberships SET role = 1; UPDATE projects SET is_archived = 0")
        }
        #expect(try warnings(["name": "U"], "u") == ["forbidden"])
        #expect(try warnings(["name": "U"], "t") == [], "its author may")
        let words = { try replica.check($0, in: "tasks", id: $1).warnings.map(\.detail) }
        #expect(
            try words(["name": "U"], "u") == ["Changing tasks needs the role SCHEDULER or above; yours is VIEWER."])
        #expect(
            try words(["name": "N", "project_id": "p"], nil) == [
                "Creating tasks needs the role MEMBER or above; yours is VIEWER."
            ])
        try replica.update("t", in: "tasks", with: ["name": "U", "cost": 2])
        #expect(try replica.unsentCount() == 1)
    }
}
