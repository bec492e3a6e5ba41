import HTTPTypes
import SyncProtocol

/// A command that tries an endpoint.
struct CurlLine {
    let endpoint: Endpoint
    let schemas: [String: JSON]

    var text: String {
        var words = ["curl"]
        if endpoint.method != .get { words.append("-X \(endpoint.method.rawValue)") }
        if !endpoint.isOpen { words.append("-H \"Authorization: Bearer $TOKEN\"") }
        if let body = endpoint.body {
            let sample = SampleValue(schemas: schemas).of(body).text.replacing("'", with: "'\\''")
            words.append("-H 'Content-Type: application/json' -d '\(sample)'")
        }
        return (words + ["\"$TIDEMARK/api/v1\(path)\""]).joined(separator: " ")
    }

    /// Shell variables stand for the path's parameters.
    private var path: String {
        endpoint.parameters.filter { $0.place == .path }
            .reduce(endpoint.path) { $0.replacing("{\($1.name)}", with: "$" + $1.name.uppercased()) }
    }
}

/// A value that a schema allows: of an object the required members alone.
struct SampleValue {
    let schemas: [String: JSON]

    func of(_ schema: JSON) -> JSON {
        if let name = schema["$ref"]?.schemaName { return of(schemas[name] ?? [:]) }
        if let value = schema["const"] ?? schema["default"] ?? schema["enum"]?.array?.first { return value }
        switch schema["type"]?.string ?? schema["type"]?.array?.first?.string {
        case "object": return object(schema)
        case "array": return []
        case "boolean": return false
        case "integer", "number": return schema["minimum"] ?? 1
        default: return .string(text(schema))
        }
    }

    private func object(_ schema: JSON) -> JSON {
        let names = (schema["required"]?.array ?? []).compactMap(\.string)
        return .object(
            Dictionary(uniqueKeysWithValues: names.map { ($0, of(schema["properties"]?[$0] ?? [:])) }))
    }

    private func text(_ schema: JSON) -> String {
        switch schema["format"]?.string {
        case "date": "2026-01-05"
        case "date-time": "2026-01-05T09:00:00Z"
        case "uuid": "5f1b0a54-6c1b-4b0e-9c0e-0b8c3e1d7a11"
        default: schema["pattern"]?.string?.contains("https?") == true ? "https://example.org/" : "text"
        }
    }
}
