import SyncProtocol
import SyncSchema

/// Schema files of an operator, as `--schemas` reads them.
enum OwnSchemas {
    /// The file that docs/schemas.md prints.
    static let memberships: JSON = [
        "$schema": "urn:tidemark:meta-schema", "title": "memberships", "type": "object", "x-scope": "membership",
        "x-roles": ["create": "ADMIN", "update": "ADMIN", "delete": "VIEWER"], "required": ["user", "role"],
        "properties": ["user": ["type": "integer"], "role": ["type": "integer"]],
    ]

    static let projects: JSON = [
        "$schema": "urn:tidemark:meta-schema", "title": "projects", "type": "object", "x-scope": "project",
        "x-roles": ["create": "ANYONE", "update": "ADMIN", "delete": "OWNER"], "required": ["name", "start_date"],
        "properties": ["name": ["type": "string"], "start_date": ["type": "string", "format": "date"]],
    ]

    /// A collection `notes` with these fields, in which a MEMBER may
    /// do everything; `members` are keywords of the collection itself.
    static func notes(_ fields: JSON, _ members: [String: JSON] = [:], named name: String = "notes") -> JSON {
        let collection: [String: JSON] = [
            "$schema": "urn:tidemark:meta-schema", "title": .string(name), "type": "object", "x-uploadable": true,
            "x-roles": ["create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"], "properties": fields,
        ]
        return .object(collection.merging(members) { $1 })
    }

    /// The registry of these documents. `projects` and `memberships` are added if they are missing.
    static func registry(_ documents: [JSON]) throws -> Registry {
        let names = Set(documents.compactMap { $0["title"]?.string })
        let all = documents + [projects, memberships].filter { !names.contains($0["title"]?.string ?? "") }
        return try Registry(documents: all.map { ($0["title"]?.string ?? "", $0) })
    }
}

extension Scene {
    /// A server with an operator's schema files.
    init(schemas: [JSON]) async throws { try await self.init(registry: OwnSchemas.registry(schemas)) }
}

extension Client {
    /// Uploads buckets of one collection.
    @discardableResult
    func upload(
        _ collection: String, created: [JSON] = [], updated: [JSON] = [], deleted: [JSON] = [],
        members: [String: JSON] = [:]
    ) async throws -> Answer {
        let buckets: JSON = ["created": .array(created), "updated": .array(updated), "deleted": .array(deleted)]
        return try await upload(members: members.merging(["changes": [collection: buckets]]) { $1 })
    }
}
