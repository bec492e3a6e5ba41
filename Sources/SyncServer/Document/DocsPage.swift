import Crypto
import Foundation
import HTTPTypes
import SyncProtocol

/// The API as one page for people, with the calls of a sync first. It is made from the values
/// of the OpenAPI document. It loads nothing; its only script is for the search field.
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
            <body><nav aria-label="Contents">
            <input type="search" id="search" placeholder="Search" aria-label="Search this page" \
            autocomplete="off" hidden>
            <p id="found" role="status" hidden></p>
            <input type="checkbox" id="fold"><label for="fold">Contents</label>
            <div class="contents">\(contents)</div></nav>
            <main>\(introduction)\(operations)\(codes)\(schemas)</main>
            <script>\(HTML(stringLiteral: DocsPage.script))</script></body></html>

            """
        return page.source
    }

    /// The page may load nothing. Its style and its script are allowed by their hashes.
    var headers: HTTPFields {
        [
            .contentSecurityPolicy: """
            default-src 'none'; style-src \(DocsPage.source(DocsPage.style)); \
            script-src \(DocsPage.source(DocsPage.script)); \
            base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """,
            .xContentTypeOptions: "nosniff", HTTPField.Name("Referrer-Policy")!: "no-referrer",
        ]
    }

    /// How a policy names a style or script of the page: by its SHA-256.
    private static func source(_ text: String) -> String {
        "'sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())'"
    }

    /// The endpoints by tag, in the order in which the tags first appear.
    private var groups: [(tag: Endpoint.Tag, endpoints: [Endpoint])] {
        var tags: [Endpoint.Tag] = []
        for endpoint in description.endpoints where !tags.contains(endpoint.tag) { tags.append(endpoint.tag) }
        return tags.map { tag in (tag, description.endpoints.filter { $0.tag == tag }) }
    }

    private var contents: HTML {
        let lists = groups.map { tag, endpoints -> HTML in
            let links = endpoints.map { endpoint -> HTML in
                """
                <li><a href="#\(endpoint.id)"><b>\(endpoint.method.rawValue)</b> \
                \(HTML(path: endpoint.path))</a></li>
                """
            }
            return DocsPage.group("<a href=\"#tag-\(tag.name)\">\(tag.name)</a>", links)
        }
        let names = description.schemas.keys.sorted().map { "<li>\(DocsPage.link($0))</li>" as HTML }
        let codes: HTML = "<li><a href=\"#codes\">all codes</a></li>"
        return
            """
            <p><a href="#top">Tidemark API</a></p>\(lists)\(DocsPage.group("errors", [codes]))\
            \(DocsPage.group("schemas", names))
            """
    }

    private static func group(_ title: HTML, _ links: [HTML]) -> HTML {
        "<div class=\"group\"><p>\(title)</p><ul>\(links)</ul></div>"
    }

    private var introduction: HTML {
        """
        <h1 id="top">Tidemark API</h1><div id="introduction">
        <p>A client that works offline needs two calls. <a href="#pull">Pull</a> returns what has changed since the last
        pull. <a href="#upload">Upload</a> sends what the client has changed. All other calls are for apps that are
        online.</p>
        <p>Programs can read the same description in <a href="openapi.json">openapi.json</a>. All paths are below
        <code>/api/v1</code>. Bodies are JSON. If a call needs a token, send it as
        <code>Authorization: Bearer tmk_…</code>. The <code>curl</code> lines take the server's address from
        <code>$TIDEMARK</code> and the token from <code>$TOKEN</code>.</p>
        <p>A refusal is a <a href="#schema-Problem">problem document</a>. Its <code>code</code> is one of those listed
        at the endpoint, its <code>detail</code> is a sentence for a person, and nothing was applied.</p></div>

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

    /// Every error code, including those of single rows in `errors`.
    private var codes: HTML {
        let rows = ErrorCode.allCases.map { code -> [HTML] in
            [
                "<code id=\"code-\(code.rawValue)\">\(code.rawValue)</code>", HTML(text: String(code.status.code)),
                HTML(prose: ErrorCode.meanings[code] ?? ""),
            ]
        }
        let table = HTML.table(["code", "status", "means"], rows)
        return "<section><h2>errors</h2><article id=\"codes\"><h3>all codes</h3>\(table)</article></section>\n"
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

    /// A link to the table of a component schema.
    static func link(_ name: String) -> HTML { "<a href=\"#schema-\(name)\">\(name)</a>" }
}
