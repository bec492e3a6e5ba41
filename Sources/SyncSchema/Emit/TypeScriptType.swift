import SyncProtocol

/// A value's type in TypeScript, in the wire encoding `json`.
struct TypeScriptType {
    let text: String

    init(_ value: ValueSchema) {
        let plain =
            value.allowed.map { $0.filter { !$0.isNull }.map(\.text).joined(separator: " | ") }
            ?? TypeScriptType.plain(value)
        text = value.isNullable ? "\(plain) | null" : plain
    }

    private static func plain(_ value: ValueSchema) -> String {
        switch value.kind {
        case .string: "string"
        case .integer, .number: "number"
        case .boolean: "boolean"
        case .array: value.items.map { "(\(TypeScriptType($0).text))[]" } ?? "unknown[]"
        case .object: object(value)
        }
    }

    private static func object(_ value: ValueSchema) -> String {
        let members = value.properties.sorted { $0.key < $1.key }.map { name, member in
            "\(JSON.string(name).text)\(value.required.contains(name) ? "" : "?"): \(TypeScriptType(member).text)"
        }
        return members.isEmpty ? "{ [member: string]: unknown }" : "{ \(members.joined(separator: "; ")) }"
    }
}
