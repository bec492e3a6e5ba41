import HTTPTypes
import SyncProtocol
import SyncStore

/// The page's section about one endpoint.
struct OperationSection {
    let endpoint: Endpoint
    let schemas: [String: JSON]

    var html: HTML {
        """
        <article id="\(endpoint.id)"><h3><b>\(endpoint.method.rawValue)</b> \(HTML(path: endpoint.path))</h3>
        <p><strong>\(HTML(prose: endpoint.summary))</strong> \(HTML(prose: endpoint.details))\(access)</p>
        \(parameters)\(requestBody)\(answers)\(errors)
        <pre><code>\(CurlLine(endpoint: endpoint, schemas: schemas).text)</code></pre>\(examples)</article>

        """
    }

    /// The examples. They are open if the endpoint has an example of its own, and folded otherwise.
    private var examples: HTML {
        let pairs = [("Body", endpoint.bodyExample(schemas)), ("Answer", endpoint.answerExample(schemas))]
        let shown = pairs.compactMap { title, json in json.map { example(title, $0) } }
        guard !shown.isEmpty else { return "" }
        return "<details\(endpoint.example == nil ? "" : " open")><summary>Example</summary>\(shown)</details>"
    }

    private func example(_ title: String, _ json: JSON) -> HTML {
        "<h4>\(title)</h4><pre><code>\(json.prettyText)</code></pre>"
    }

    private var access: HTML { endpoint.isOpen ? " Needs no token." : "" }

    private var parameters: HTML {
        .table(
            ["parameter", "in", "type", "means"],
            endpoint.parameters.map {
                [
                    "<code>\($0.name)</code>", HTML(text: $0.place.rawValue), SchemaText($0.schema).html,
                    HTML(prose: $0.summary),
                ]
            })
    }

    private var requestBody: HTML {
        guard let body = endpoint.body else { return "" }
        guard let name = body["$ref"]?.schemaName, let schema = schemas[name] else {
            return "<h4>Body</h4>\(SchemaTable(body).html)"
        }
        return "<h4>Body: \(DocsPage.link(name))</h4>\(SchemaTable(schema).html)"
    }

    private var answers: HTML {
        "<h4>Answers</h4>"
            + .table(
                ["status", "means", "body", "headers"],
                endpoint.answers.map {
                    [
                        HTML(text: String($0.status.code)), HTML(prose: $0.summary),
                        $0.schema.map { SchemaText($0).html } ?? "none", HTML($0.headers.map(header)),
                    ]
                })
    }

    private func header(_ header: Endpoint.Header) -> HTML {
        "<p><code>\(header.name)</code>: \(HTML(prose: header.summary))</p>"
    }

    private var errors: HTML {
        "<h4>Errors</h4>"
            + .table(
                ["status", "codes"],
                endpoint.codesByStatus.map { status, codes in
                    [
                        HTML(text: String(status.code)),
                        HTML(codes.map { "<a href=\"#code-\($0.rawValue)\"><code>\($0.rawValue)</code></a> " }),
                    ]
                })
    }
}

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
        if member["x-user"] != nil {
            notes.append(member["items"] == nil ? " A member's user id." : " Members' user ids, each once.")
        }
        return HTML(notes)
    }
}

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

/// A `curl` command that tries an endpoint.
struct CurlLine {
    let endpoint: Endpoint
    let schemas: [String: JSON]

    var text: String {
        var words = ["curl"]
        if endpoint.method != .get { words.append("-X \(endpoint.method.rawValue)") }
        if !endpoint.isOpen { words.append("-H \"Authorization: Bearer $TOKEN\"") }
        if let body = endpoint.body {
            let sample = (endpoint.example?.body ?? SampleValue(schemas: schemas).of(body)).text.replacing(
                "'", with: "'\\''")
            words.append("-H 'Content-Type: application/json' -d '\(sample)'")
        }
        return (words + ["\"$TIDEMARK/api/v1\(path)\""]).joined(separator: " ")
    }

    /// The path, with a shell variable for each parameter: `$PROJECT` for `{project}`.
    private var path: String {
        endpoint.parameters.filter { $0.place == .path }
            .reduce(endpoint.path) { $0.replacing("{\($1.name)}", with: "$" + $1.name.uppercased()) }
    }
}
