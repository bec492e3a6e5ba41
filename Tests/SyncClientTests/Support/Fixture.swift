import Foundation
@testable import SyncClientCore
import SyncProtocol

/// The schema that most tests use, with one column of every kind.
enum Fixture {
    static let schemaJSON = schemaJSON(version: "v1")

    static let schema: ServerSchema = {
        do { return try ServerSchema(schemaJSON) } catch { fatalError("the fixture's schema is unusable: \(error)") }
    }()

    static func schemaJSON(version: String, taskFields: [String: JSON] = [:], more: [JSON] = []) -> JSON {
        let tasks: [String: JSON] = [
            "name": ["type": "string"],
            "sprint": ["type": ["string", "null"], "x-ref": ["collection": "sprints", "on-delete": "clear"]],
            "parent": ["type": ["string", "null"], "x-ref": ["collection": "tasks", "on-delete": "cascade"]],
            "duration": ["type": "integer", "default": 1], "percent": ["type": "number", "default": 0],
            "done": ["type": "boolean", "default": false], "labels": ["type": "array", "default": []],
        ]
        let collections: [JSON] = [
            [
                "title": "sprints",
                "properties": ["name": ["type": "string"], "goal": ["type": "string", "default": ""]],
            ],
            ["title": "tasks", "x-uploadable": true, "properties": .object(tasks.merging(taskFields) { $1 })],
        ]
        return ["schema_version": .string(version), "collections": .array(collections + more)]
    }

    /// A schema with more collections: `risks` and `links` refer to tasks, and tasks to each other by a list. Only
    /// the collections in `uploads` are uploadable.
    static func wideJSON(
        version: String = "w1", uploads: Set<String> = ["sprints", "tasks", "risks", "links"]
    ) -> JSON {
        let tasks: JSON = [
            "type": "array", "default": [], "x-ref": ["collection": "tasks", "on-delete": "clear"],
        ]
        let risks: JSON = ["title": "risks", "properties": ["name": ["type": "string"], "task_ids": tasks]]
        let task: JSON = ["type": "string", "x-ref": ["collection": "tasks", "on-delete": "cascade"]]
        let links: JSON = ["title": "links", "properties": ["name": ["type": "string"], "task": task]]
        let schema = schemaJSON(version: version, taskFields: ["related": tasks], more: [risks, links])
        let collections = (schema["collections"]?.array ?? []).map { document in
            let isUploadable = uploads.contains(document["title"]?.string ?? "")
            return JSON.object((document.object ?? [:]).merging(["x-uploadable": .bool(isUploadable)]) { $1 })
        }
        return ["schema_version": .string(version), "collections": .array(collections)]
    }

    /// A page as the server would write it.
    static func page(
        _ changes: JSON = [:], timestamp: JSON = 42, cursor: String? = nil, hasMore: Bool? = nil, total: JSON = nil,
        digest: JSON? = .none
    ) -> JSON {
        var members: [String: JSON] = [
            "changes": changes, "timestamp": timestamp, "next_cursor": cursor.map(JSON.string) ?? nil,
            "has_more": .bool(hasMore ?? (cursor != nil)), "progress": ["rows": 0, "total": total],
        ]
        members["digest"] = digest
        return .object(members)
    }

    static func changes(created: [JSON] = [], updated: [JSON] = [], deleted: [JSON] = []) -> JSON {
        ["created": .array(created), "updated": .array(updated), "deleted": .array(deleted)]
    }

    static func tasks(created: [JSON] = [], updated: [JSON] = [], deleted: [JSON] = []) -> JSON {
        ["tasks": changes(created: created, updated: updated, deleted: deleted)]
    }

    static func read(_ page: JSON, schema: ServerSchema = schema) throws -> PageResponse {
        try PageReader(schema: schema).page(page.bytes, head: nil)
    }
}

extension TransportResponse {
    static func json(_ json: JSON, status: Int = 200, headers: [String: String] = [:]) -> Self {
        TransportResponse(status: status, headers: headers, body: Data(json.text.utf8))
    }

    static func problem(_ status: Int, _ code: ErrorCode, headers: [String: String] = [:]) -> Self {
        .json(
            ["status": JSON(Double(status)), "code": .string(code.rawValue), "detail": "Because."], status: status,
            headers: headers)
    }
}

extension ReplicaState {
    /// A state as a replica would have it.
    static func sample(
        schemaVersion: String? = "v1", since: Int64 = 0, cursor: String? = nil, timestamp: Int64 = 42, rows: Int64 = 0
    ) -> Self {
        ReplicaState(
            scope: .project("p"), schemaVersion: schemaVersion, since: SyncSeq(since),
            settled: cursor == nil && since > 0 ? SyncSeq(since) : nil,
            drain: cursor.map { Drain(cursor: $0, timestamp: SyncSeq(timestamp), rows: rows, total: nil) },
            drainNumber: 1, step: 7)
    }
}
