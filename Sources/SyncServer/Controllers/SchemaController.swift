import HTTPTypes
import Hummingbird
import SyncProtocol
import SyncSchema

/// `GET /schemas/`.
struct SchemaController: Sendable {
    private let document: StaticDocument

    init(_ registry: Registry) {
        let collections = registry.collections.map(\.document)
        let json: JSON = ["schema_version": .string(registry.version), "collections": .array(collections)]
        document = StaticDocument(
            json.text, contentType: "application/json; charset=utf-8", headers: [.cacheControl: "no-store"],
            tag: registry.version)
    }

    /// What a client needs to build its tables.
    func schemas(_ request: Request, _ context: CallerContext) async throws -> Response {
        document.response(to: request)
    }
}
