import SyncProtocol

/// A schema in a few words.
struct SchemaText {
    private let schema: JSON

    init(_ schema: JSON) { self.schema = schema }

    var html: HTML {
        if let name = schema["$ref"]?.schemaName { return DocsPage.link(name) }
        if let value = schema["const"] { return "<code>\(value.text)</code>" }
        if let values = schema["enum"]?.array { return HTML(values.map { "<code>\($0.text)</code> " }) }
        if let items = schema["items"] { return "list of \(SchemaText(items).html)\(limits)" }
        if let value = schema["additionalProperties"], value.object != nil { return "map of \(SchemaText(value).html)" }
        if schema["properties"] != nil { return SchemaTable(schema).html }
        return "\(types)\(limits)"
    }

    private var types: HTML {
        let names = schema["type"]?.array?.compactMap(\.string) ?? schema["type"]?.string.map { [$0] } ?? ["any"]
        let format = schema["format"]?.string.map { " (\($0))" } ?? ""
        return HTML(text: names.joined(separator: " or ") + format)
    }

    /// The keywords that narrow a type, and the words for them.
    private static let keywords = [
        ("minimum", "≥"), ("exclusiveMinimum", ">"), ("maximum", "≤"), ("maxLength", "at most"),
        ("maxItems", "at most"),
        ("pattern", "like"),
    ]

    /// A long expression may break anywhere; a name may not break.
    private static func code(_ text: String) -> HTML {
        text.count > 24 ? "<code class=\"long\">\(text)</code>" : "<code>\(text)</code>"
    }

    private var limits: HTML {
        HTML(
            SchemaText.keywords.compactMap { keyword, words in
                schema[keyword].map { ", \(words) \(SchemaText.code($0.string ?? $0.text))" }
            })
    }
}
