import Crypto
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol
import SyncSchema

/// A document that does not change while the server runs. It is compressed and tagged once.
struct StaticDocument: Sendable {
    /// What is sent of it, with its entity tag.
    private struct Form: Sendable {
        let body: ByteBuffer
        let tag: String
    }

    private let plain: Form
    private let packed: Form?
    private let headers: HTTPFields

    init(_ text: String, contentType: String, headers: HTTPFields = [:], tag: String? = nil) {
        self.init(ByteBuffer(string: text), contentType: contentType, headers: headers, tag: tag)
    }

    /// Without a tag, a weak one is made, which the plain and the compressed body share. With one it is strong, so each
    /// body has its own.
    init(
        _ body: ByteBuffer, contentType: String, headers: HTTPFields = [:], tag: String? = nil,
        effort: GzipStream.Effort = .once
    ) {
        let weak = "W/\"" + Array(SHA256.hash(data: body.readableBytesView)).hex.prefix(16) + "\""
        plain = Form(body: body, tag: tag.map { "\"\($0)\"" } ?? weak)
        packed = Gzip.compress(body, effort).map { Form(body: $0, tag: tag.map { "\"\($0)-gzip\"" } ?? weak) }
        var headers = headers
        headers[.contentType] = contentType
        headers[.cacheControl] = headers[.cacheControl] ?? "no-cache"
        headers[.vary] = "Accept-Encoding"
        self.headers = headers
    }

    /// Its type without parameters.
    var mediaType: String { String((headers[.contentType] ?? "").prefix { $0 != ";" }) }

    /// 200 with the document, or 304 if the client has it already, in whichever form.
    func response(to request: Request) -> Response {
        let form = request.acceptsGzip ? packed ?? plain : plain
        var headers = headers
        if let known = [form, plain, packed].compactMap(\.self).first(where: { request.knows($0.tag) }) {
            headers[.eTag] = known.tag
            return Response(status: .notModified, headers: headers)
        }
        headers[.eTag] = form.tag
        if request.acceptsGzip, packed != nil { headers[.contentEncoding] = "gzip" }
        headers[.contentLength] = String(form.body.readableBytes)
        let response = Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: form.body))
        return request.method == .head ? response.createHeadResponse() : response
    }
}

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
