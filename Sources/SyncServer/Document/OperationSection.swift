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
