import SyncProtocol
import SyncSchema
import SyncValues

/// An example batch with a new row, an edit and a delete, and the server's answer to it. In the example nobody
/// else has changed the edited and the deleted row. The rows are of the first collection that takes uploads, of those
/// that a MEMBER may write if there are any.
struct UploadExample {
    private static let batchID: JSON = "5f1b0a54-6c1b-4b0e-9c0e-0b8c3e1d7a11"

    let collection: Collection
    /// The ids of the new row, the edited row and the deleted row.
    let ids: (created: String, updated: String, deleted: String)
    private let newFields: [String: JSON]
    private let edit: (field: String, value: JSON)

    /// Nil if no collection takes uploads, or if the first one that does has no field for the example's edit.
    init?(_ registry: Registry) {
        let uploadable = registry.collections.filter(\.isUploadable)
        guard let collection = uploadable.first(where: \.roles.areMembers) ?? uploadable.first,
            let edit = UploadExample.edit(of: collection)
        else { return nil }
        let letter = collection.name.prefix(1)
        self.collection = collection
        self.edit = edit
        ids = ("\(letter)-9", "\(letter)-1", "\(letter)-0")
        let required = collection.fields.filter { $0.isRequired && !$0.isServerOwned }
        newFields = Dictionary(
            uniqueKeysWithValues: required.map {
                ($0.name, SampleValue(schemas: [:]).of(FieldSchema($0, in: collection).json, name: $0.name))
            })
    }

    /// The body of the upload.
    var body: JSON {
        let created = newFields.merging(["id": .string(ids.created)]) { $1 }
        let updated: JSON = ["id": .string(ids.updated), "_changed": .string(edit.field)]
        return [
            "client_batch_id": Self.batchID,
            "changes": ofCollection([
                "created": [.object(created)],
                "updated": [.object((updated.object ?? [:]).merging([edit.field: edit.value]) { $1 })],
                "deleted": [.string(ids.deleted)],
            ]),
        ]
    }

    /// The server's answer to the upload.
    var answer: JSON {
        [
            "client_batch_id": Self.batchID, "timestamp": 57,
            "applied": ofCollection([
                "created": [["id": .string(ids.created), "server_version": 1]],
                "updated": [["id": .string(ids.updated), "server_version": 2]], "deleted": [.string(ids.deleted)],
            ]),
            "skipped": [:], "repaired": [:], "conflicts": [:], "rejected": [:], "rejected_ids": [:],
        ]
    }

    /// A page of the next pull: it has the rows as the upload left them.
    func page(_ sample: SampleValue) -> JSON {
        var row = sample.of(Schema.reference("\(collection.name)_row")).object ?? [:]
        row.merge([edit.field: edit.value, "id": .string(ids.updated), "server_version": 2]) { $1 }
        return [
            "changes": ofCollection(["created": [], "updated": [.object(row)], "deleted": [.string(ids.deleted)]]),
            "timestamp": 57, "has_more": true, "next_cursor": "Zm9v…", "progress": ["rows": 2, "total": .null],
        ]
    }

    private func ofCollection(_ changes: JSON) -> JSON { .object([collection.name: changes]) }

    /// A field that everyone may change, and a value other than its default.
    private static func edit(of collection: Collection) -> (String, JSON)? {
        for field in collection.fields
        where !field.isServerOwned && field.writeRole == nil && field.author == nil && !field.isLookedUp {
            let wanted: [JSON] =
                switch field.value.kind {
                case .integer, .number: [3, 1]
                case .string: (field.value.allowed ?? ["Two coats"])
                default: []
                }
            if let value = wanted.first(where: { $0 != field.fallback && (try? field.value.normalized($0)) == $0 }) {
                return (field.name, value)
            }
        }
        return nil
    }
}

extension Collection.Roles {
    /// Whether the role MEMBER is enough for every verb.
    fileprivate var areMembers: Bool { [create, update, delete].allSatisfy { $0 ?? .viewer <= .member } }
}

/// Makes a value that a schema allows, for examples.
struct SampleValue {
    let schemas: [String: JSON]
    /// True for answers: objects have all their members, and lists have one element. False for bodies:
    /// objects have their required members, or one member if none is required, and lists are empty.
    var isWhole = false

    /// `name` is the name of the member that gets the value. It says more than the type does.
    func of(_ schema: JSON, name: String = "") -> JSON {
        if let component = schema["$ref"]?.schemaName { return of(schemas[component] ?? [:], name: name) }
        if let value = schema["const"] ?? schema["default"] ?? schema["enum"]?.array?.first { return value }
        if let first = schema["anyOf"]?.array?.first { return of(first, name: name) }
        switch schema["type"]?.string ?? schema["type"]?.array?.first?.string {
        case "object": return object(schema)
        case "array": return isWhole ? .array([of(schema["items"] ?? [:], name: name)]) : []
        case "boolean": return false
        case "integer", "number": return schema["minimum"] ?? 1
        default: return .string(text(schema, name))
        }
    }

    private func object(_ schema: JSON) -> JSON {
        let members = schema["properties"]?.object ?? [:]
        var names = isWhole ? Array(members.keys) : (schema["required"]?.array ?? []).compactMap(\.string)
        if names.isEmpty, let first = members.keys.sorted().first(where: { members[$0]?["type"] != nil }) {
            names = [first]
        }
        return .object(
            Dictionary(uniqueKeysWithValues: names.map { ($0, of(members[$0] ?? [:], name: $0)) }))
    }

    private func text(_ schema: JSON, _ name: String) -> String {
        switch schema["format"]?.string {
        case "date": ["finish", "end"].contains { name.contains($0) } ? "2026-01-16" : "2026-01-05"
        case "date-time": "2026-01-05T09:00:00.000Z"
        case "uuid": "5f1b0a54-6c1b-4b0e-9c0e-0b8c3e1d7a11"
        case "iana-timezone": "Europe/Berlin"
        case "blob": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
        case "byte": "/9j/4AAQSkZJRg=="
        default: schema["pattern"]?.string.map(SampleValue.matching) ?? plain(schema, name)
        }
    }

    private func plain(_ schema: JSON, _ name: String) -> String {
        let text = SampleValue.texts[name] ?? name.replacing("_", with: " ").capitalizedFirst
        return String((text.isEmpty ? "text" : text).prefix(Int(schema["maxLength"]?.int ?? 1000)))
    }

    private static func matching(_ pattern: String) -> String {
        let candidates = ["t-1", "09:00:00", "1a04bf00f2c80fcb", "https://example.org/", "text", "7", "A"]
        // Not `Regex`, which can try for hours whether a text matches.
        guard let expression = try? Pattern(pattern) else { return "text" }
        return candidates.first(where: expression.matches) ?? "text"
    }

    private static let texts = [
        "name": "Order paint", "title": "Paint is late", "username": "alice", "display_name": "Alice Ash",
        "password": "correct horse battery staple", "access": "eyJhbGciOiJ…", "refresh": "tmr_…", "token": "tmk_…",
        "next": "17", "next_cursor": "Zm9v…", "short_id": "A1", "wbs_path": "1.2", "code": "deleted",
        "openapi": "3.1.0",
        "warnings": "SQLite 3.40.1 has a known fault", "entry": "_17", "collection": "tasks", "field": "name",
        "fields": "name", "skipped": "t-5", "user": "7",
    ]
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
