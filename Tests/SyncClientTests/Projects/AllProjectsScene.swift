import GRDB
import SyncProtocol
import Testing

@testable import SyncClientCore

/// A replica of all projects, and pages as a server would send them.
struct AllProjectsScene {
    let scratch: Scratch
    let replica: Replica

    static let schemaJSON = Fixture.schemaJSON(
        version: "all",
        more: [
            ["title": "calendars", "x-uploadable": true, "properties": ["name": ["type": "string"]]],
            [
                "title": "projects", "x-uploadable": false, "x-uploadable-user-wide": true, "required": ["name"],
                "properties": [
                    "name": ["type": "string"],
                    "calendar": [
                        "type": ["string", "null"], "default": nil,
                        "x-ref": ["collection": "calendars", "on-delete": "restrict"],
                    ],
                ],
            ],
        ])

    static let schema: ServerSchema = {
        do { return try ServerSchema(schemaJSON, allProjects: true) } catch { fatalError("\(error)") }
    }()

    init() throws {
        scratch = try Scratch()
        replica = try Replica(path: scratch.path, scope: .allProjects)
        _ = try replica.adopt(Self.schema)
    }

    /// A replica that holds the projects p1 and p2, with two tasks each, at number 10.
    static func pulled() throws -> AllProjectsScene {
        let scene = try AllProjectsScene()
        let projects = ["p1", "p2"].map { project($0) }
        let tasks = [task("a1", "p1"), task("b1", "p1"), task("a2", "p2"), task("b2", "p2")]
        try scene.take(page(projects, tasks, at: 10, heads: ["p1": 5, "p2": 7]))
        return scene
    }

    static func project(_ id: String, version: Int64 = 1) -> JSON {
        [
            "id": .string(id), "project_id": .string(id), "server_version": .int(version), "name": .string("N" + id),
            "calendar": nil,
        ]
    }

    static func task(_ id: String, _ project: String, _ name: String = "", version: Int64 = 1) -> JSON {
        [
            "id": .string(id), "project_id": .string(project), "server_version": .int(version), "name": .string(name),
        ]
    }

    static func number(_ number: Int64) -> Int64 { (1 << 52) + number }

    /// A page of the drain to `at`. With `heads` it is the last one, otherwise it has the cursor `c` and `at`.
    static func page(
        _ projects: [JSON] = [], _ tasks: [JSON] = [], deleted: [String] = [], at: Int64, left: [String: String]? = nil,
        replaced: [String] = [], heads: [String: Int64]? = nil, digest: JSON = [:], cursor: String = "c"
    ) -> JSON {
        var members =
            Fixture.page(
                [
                    "projects": Fixture.changes(updated: projects),
                    "tasks": Fixture.changes(updated: tasks, deleted: deleted.map(JSON.string)),
                ], timestamp: .int(number(at)), cursor: heads == nil ? cursor : nil
            ).object ?? [:]
        let lost = (left ?? [:]).map { JSON.object(["project_id": .string($0.key), "code": .string($0.value)]) }
        members["left_projects"] = .array(lost)
        if !replaced.isEmpty { members["replaced"] = .array(replaced.map(JSON.string)) }
        members["heads"] = heads.map { .object($0.mapValues(JSON.int)) }
        if heads != nil { members["digest"] = digest }
        return .object(members)
    }

    @discardableResult
    func take(_ page: JSON) throws -> Replica.Receipt { try #require(try replica.take(page, schema: Self.schema)) }

    /// Takes a page of a pull, with the head that came with it.
    @discardableResult
    func receive(_ page: JSON, head: Int64? = nil) throws -> Replica.Receipt {
        let read = try PageReader(schema: Self.schema).page(page.bytes, head: head.map { "\(Self.number($0))" })
        return try #require(try replica.receive(read, of: Self.schema, after: replica.state(), at: .test))
    }

    func tasks() throws -> [String] { try replica.ids(of: "tasks") }

    /// The next batch.
    func batch(rows: Int = 99, id: String = "b") throws -> UploadBatch {
        let next = try replica.nextBatch(BatchLimits(rows: rows, bytes: 99_999), at: .test, newID: { id })
        guard case .batch(let batch) = next else { throw SyncError.violation("there is no batch") }
        return batch
    }

    @discardableResult
    func settle(_ batch: UploadBatch, _ members: [String: JSON]) throws -> Replica.Receipts {
        let own: [String: JSON] = ["client_batch_id": .string(batch.id), "timestamp": nil]
        let answer = try UploadAnswer(.object(own.merging(members) { $1 }), to: batch.id, allProjects: true)
        return try #require(try replica.settle(batch, answer, at: .test))
    }

    /// An answer that applies edits of tasks.
    static func applied(_ versions: [String: Int64], _ timestamps: [String: Int64]) -> [String: JSON] {
        let rows = versions.map { JSON.object(["id": .string($0.key), "server_version": .int($0.value)]) }
        return [
            "timestamps": .object(timestamps.mapValues(JSON.int)),
            "applied": ["tasks": ["created": [], "updated": .array(rows), "deleted": []]],
        ]
    }

    func count(_ table: String) throws -> Int {
        try replica.read { db in try #require(try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)")) }
    }
}
