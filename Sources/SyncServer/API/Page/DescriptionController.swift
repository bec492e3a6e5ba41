import Hummingbird
import SyncProtocol
import SyncSchema

/// `GET /openapi.json` and `GET /docs/`: what this server serves, made when it starts.
struct DescriptionController: Sendable {
    private let document: StaticDocument
    private let page: StaticDocument

    init(_ registry: Registry) {
        let description = OpenAPIDocument(registry)
        document = StaticDocument(description.json.text, contentType: "application/json; charset=utf-8")
        let page = DocsPage(description)
        self.page = StaticDocument(page.html, contentType: "text/html; charset=utf-8", headers: page.headers)
    }

    func openAPI(_ request: Request, _ context: ServerContext) async throws -> Response {
        document.response(to: request)
    }

    func docs(_ request: Request, _ context: ServerContext) async throws -> Response { page.response(to: request) }
}
