import SyncProtocol
import SyncSchema

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
