import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import SyncProtocol
import SyncSchema
import Synchronization

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

extension DocsPage {
    /// The page's only script. It shows only the entries that contain all words of the search field, on the
    /// page and in its contents. Without scripts, the field stays hidden and the page shows everything.
    static let script = """
        (() => {
          const field = document.getElementById('search'), found = document.getElementById('found');
          const fold = document.getElementById('fold');
          const links = new Map(
            [...document.querySelectorAll('nav li a')].map(a => [a.hash.slice(1), a.parentElement]));
          const parts = [...document.querySelectorAll('main article')].map(node => (
            { node, link: links.get(node.id), text: node.textContent.toLowerCase() }));
          const hideEmpty = (groups, children) => {
            for (const group of groups) group.hidden = !group.querySelector(children + ':not([hidden])');
          };
          const search = () => {
            const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
            let count = 0;
            for (const { node, link, text } of parts) {
              const isFound = words.every(word => text.includes(word));
              node.hidden = !isFound;
              if (link) link.hidden = !isFound;
              if (isFound) count += 1;
            }
            hideEmpty(document.querySelectorAll('main section'), 'article');
            hideEmpty(document.querySelectorAll('nav .group'), 'li');
            document.getElementById('introduction').hidden = words.length > 0;
            found.textContent = words.length ? `${count} of ${parts.length} entries` : '';
          };
          field.hidden = found.hidden = false;
          field.addEventListener('input', search);
          document.querySelector('nav .contents').addEventListener('click', event => {
            if (event.target.closest('a')) fold.checked = false;
          });
          if (field.value) search();
        })();
        """
}

extension DocsPage {
    /// Dark or light, like the reader's system. The contents are beside the text if there is room; on a phone
    /// they are folded above it. Names are not broken across lines: what is too wide scrolls on its own.
    static let style = """
        :root { color-scheme: light dark; --line: #8886; --soft: #8882; }
        * { box-sizing: border-box; }
        [hidden] { display: none !important; }
        body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: Canvas; color: CanvasText; }
        a { color: LinkText; text-decoration: none; }
        a:hover { text-decoration: underline; }
        nav, main { padding: 1rem; }
        nav { font-size: .85rem; border-bottom: 1px solid var(--line); }
        nav p { margin: .8rem 0 .2rem; font-weight: 600; }
        nav ul { list-style: none; margin: 0; padding: 0; }
        nav li { padding: .1rem 0; }
        nav li b { font-size: .85em; }
        #search { width: 100%; font: inherit; font-size: 1rem; padding: .4rem .6rem; border: 1px solid var(--line); \
        border-radius: .3rem; background: Canvas; color: CanvasText; }
        #found { margin: .3rem 0 0; font-weight: 400; min-height: 1.3em; opacity: .8; }
        #fold { position: absolute; opacity: 0; }
        label { display: block; padding: .4rem 0; font-weight: 600; font-size: 1rem; cursor: pointer; }
        label::before { content: "\\25B8\\00A0"; }
        #fold:checked + label::before { content: "\\25BE\\00A0"; }
        #fold:focus-visible + label { outline: 2px solid LinkText; }
        .contents { display: none; max-height: 60vh; overflow: auto; }
        #fold:checked ~ .contents { display: block; }
        main { max-width: 62rem; }
        h1 { margin-top: 0; }
        h2 { margin-top: 3rem; border-bottom: 2px solid var(--line); }
        h3 { font-family: ui-monospace, monospace; font-weight: 500; overflow-wrap: break-word; }
        h4 { margin: 1rem 0 .3rem; }
        article { margin: 2rem 0; scroll-margin-top: 1rem; }
        .wide, pre { overflow-x: auto; }
        table { border-collapse: collapse; font-size: .9rem; min-width: 100%; }
        th, td { border: 1px solid var(--line); padding: .3rem .5rem; text-align: left; vertical-align: top; }
        td p { margin: 0; }
        td:last-child { min-width: 14rem; }
        code { font-family: ui-monospace, monospace; font-size: .85em; background: var(--soft); padding: .1em .25em; \
        border-radius: .2em; }
        td code { white-space: nowrap; }
        td code.long { white-space: normal; overflow-wrap: anywhere; }
        pre { background: var(--soft); padding: .6rem; border-radius: .3rem; }
        pre code { background: none; padding: 0; }
        summary { cursor: pointer; margin: .6rem 0; }
        @media (max-width: 60rem) {
          p code { overflow-wrap: anywhere; }
        }
        @media (min-width: 60rem) {
          body { display: grid; grid-template-columns: 21rem 1fr; }
          nav { position: sticky; top: 0; height: 100vh; border: 0; border-right: 1px solid var(--line); \
        display: flex; flex-direction: column; }
          label { display: none; }
          .contents { display: block; max-height: none; flex: 1; }
          main { padding: 1rem 2rem; min-width: 0; }
        }
        """
}

/// `GET /openapi.json` and `GET /docs/`. Both documents are made at the first request and then kept.
struct DescriptionController: Sendable {
    private let documents: Documents

    init(_ registry: Registry) { documents = Documents(registry) }

    func openAPI(_ request: Request, _ context: ServerContext) async throws -> Response {
        documents.made.document.response(to: request)
    }

    func docs(_ request: Request, _ context: ServerContext) async throws -> Response {
        documents.made.page.response(to: request)
    }

    private final class Documents: Sendable {
        private let registry: Registry
        private let kept = Mutex<(document: StaticDocument, page: StaticDocument)?>(nil)

        init(_ registry: Registry) { self.registry = registry }

        var made: (document: StaticDocument, page: StaticDocument) {
            kept.withLock { kept in
                let documents = kept ?? Documents.make(registry)
                kept = documents
                return documents
            }
        }

        private static func make(_ registry: Registry) -> (document: StaticDocument, page: StaticDocument) {
            let description = OpenAPIDocument(registry)
            let page = DocsPage(description)
            return (
                StaticDocument(description.json.text, contentType: "application/json; charset=utf-8"),
                StaticDocument(page.html, contentType: "text/html; charset=utf-8", headers: page.headers)
            )
        }
    }
}
