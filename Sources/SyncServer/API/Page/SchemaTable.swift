import SyncProtocol
import SyncStore

/// The members of an object as a table.
struct SchemaTable {
    private let schema: JSON

    init(_ schema: JSON) { self.schema = schema }

    var html: HTML {
        let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
        let members = (schema["properties"]?.object ?? [:]).sorted { $0.key < $1.key }
        guard !members.isEmpty else { return SchemaText(schema).html }
        return .table(
            ["member", "type", "default", "means"],
            members.map { name, member in
                [
                    "<code>\(name)</code>", SchemaText(member).html,
                    required.contains(name) ? "<em>required</em>" : SchemaTable.value(member["default"]),
                    SchemaTable.notes(member),
                ]
            })
    }

    private static func value(_ json: JSON?) -> HTML { json.map { "<code>\($0.text)</code>" } ?? "" }

    private static func notes(_ member: JSON) -> HTML {
        var notes = [HTML(prose: member["description"]?.string ?? "")]
        if let target = member["x-ref"]?["collection"]?.string { notes.append(" Refers to <code>\(target)</code>.") }
        if let role = member["x-role"]?.string { notes.append(" Needs at least the role \(role).") }
        if member["x-user"] != nil { notes.append(" A member's user id.") }
        return HTML(notes)
    }
}
