import Crypto
import Foundation
import HTTPTypes
import SyncProtocol

/// The API as one page for people. Made from the OpenAPI document's values; needs no script and loads nothing.
struct DocsPage: Sendable {
    let description: OpenAPIDocument

    init(_ description: OpenAPIDocument) { self.description = description }

    /// The whole page.
    var html: String {
        let page: HTML = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>Tidemark API</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <style>\(HTML(stringLiteral: DocsPage.style))</style></head>
            <body><nav aria-label="Contents">\(contents)</nav>
            <main>\(introduction)\(operations)\(codes)\(schemas)</main></body></html>

            """
        return page.source
    }

    /// Nothing may be loaded or run; the style is allowed by its digest.
    var headers: HTTPFields {
        let digest = Data(SHA256.hash(data: Data(DocsPage.style.utf8))).base64EncodedString()
        return [
            .contentSecurityPolicy: """
            default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """,
            .xContentTypeOptions: "nosniff", HTTPField.Name("Referrer-Policy")!: "no-referrer",
        ]
    }

    /// Endpoints by tag, in their order.
    private var groups: [(tag: Endpoint.Tag, endpoints: [Endpoint])] {
        var tags: [Endpoint.Tag] = []
        for endpoint in description.endpoints where !tags.contains(endpoint.tag) { tags.append(endpoint.tag) }
        return tags.map { tag in (tag, description.endpoints.filter { $0.tag == tag }) }
    }

    private var contents: HTML {
        let lists = groups.map { tag, endpoints -> HTML in
            let links = endpoints.map { endpoint -> HTML in
                "<li><a href=\"#\(endpoint.id)\"><b>\(endpoint.method.rawValue)</b> \(endpoint.path)</a></li>"
            }
            return "<p><a href=\"#tag-\(tag.name)\">\(tag.name)</a></p><ul>\(links)</ul>"
        }
        let names = description.schemas.keys.sorted().map { "<li>\(DocsPage.link($0))</li>" as HTML }
        return
            "<p><a href=\"#top\">Tidemark API</a></p>\(lists)<p><a href=\"#codes\">error codes</a></p><p>schemas</p><ul>\(names)</ul>"
    }

    private var introduction: HTML {
        """
        <h1 id="top">Tidemark API</h1>
        <p>The same as a document for programs: <a href="openapi.json">openapi.json</a>. Paths are below <code>/api/v1</code>.
        Bodies are JSON. Where a token is needed, send it as <code>Authorization: Bearer tmk_…</code>. The
        <code>curl</code> lines take the server's address from <code>$TIDEMARK</code> and the token from <code>$TOKEN</code>.</p>
        <p>An answer that says no is a <a href="#schema-Problem">problem document</a>: its <code>code</code> is one of those
        at the endpoint, its <code>detail</code> is a sentence for a person, and nothing was applied.</p>

        """
    }

    private var operations: HTML {
        HTML(
            groups.map { tag, endpoints in
                let articles = endpoints.map { OperationSection(endpoint: $0, schemas: description.schemas).html }
                return
                    "<section><h2 id=\"tag-\(tag.name)\">\(tag.name)</h2><p>\(tag.summary)</p>\(articles)</section>\n"
            })
    }

    /// Every code, those of single rows in `errors` among them.
    private var codes: HTML {
        let rows = ErrorCode.allCases.map { code -> [HTML] in
            [
                "<code id=\"code-\(code.rawValue)\">\(code.rawValue)</code>", HTML(text: String(code.status.code)),
                HTML(prose: ErrorCode.meanings[code] ?? ""),
            ]
        }
        return "<section><h2 id=\"codes\">error codes</h2>\(HTML.table(["code", "status", "means"], rows))</section>\n"
    }

    private var schemas: HTML {
        let sections = description.schemas.sorted { $0.key < $1.key }.map { name, schema -> HTML in
            let summary = HTML(prose: schema["description"]?.string ?? "")
            return """
                <article id="schema-\(name)"><h3>\(name)</h3><p>\(summary)</p>\(SchemaTable(schema).html)</article>

                """
        }
        return "<section><h2>schemas</h2>\(sections)</section>"
    }

    /// To the table of a component schema.
    static func link(_ name: String) -> HTML { "<a href=\"#schema-\(name)\">\(name)</a>" }
}
