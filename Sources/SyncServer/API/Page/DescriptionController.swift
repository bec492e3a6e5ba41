import Hummingbird
import SyncProtocol
import SyncSchema
import Synchronization

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
