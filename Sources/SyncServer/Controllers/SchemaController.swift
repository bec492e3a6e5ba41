import HTTPTypes
import Hummingbird
import SyncProtocol
import SyncSchema

/// `GET /schemas/`.
struct SchemaController: Sendable {
    let registry: Registry

    /// What a client needs to build its tables.
    func schemas(_ request: Request, _ context: CallerContext) async throws -> Response {
        let tag = "\"\(registry.version)\""
        if request.headers[.ifNoneMatch] == tag { return Response(status: .notModified, headers: [.eTag: tag]) }
        var reply = Reply([
            "schema_version": .string(registry.version), "collections": .array(registry.collections.map(\.document)),
        ])
        reply.headers[.eTag] = tag
        return reply.response(to: request)
    }
}
