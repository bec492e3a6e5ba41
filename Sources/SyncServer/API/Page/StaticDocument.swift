import Crypto
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol
import SyncSchema

/// A document that does not change while the server runs. It is compressed and tagged once.
struct StaticDocument: Sendable {
    private let plain: ByteBuffer
    private let packed: ByteBuffer?
    private let headers: HTTPFields
    /// The entity tag. It is weak, because the plain and the compressed body share it.
    private let tag: String

    init(_ text: String, contentType: String, headers: HTTPFields = [:]) {
        self.init(ByteBuffer(string: text), contentType: contentType, headers: headers)
    }

    init(_ body: ByteBuffer, contentType: String, headers: HTTPFields = [:]) {
        plain = body
        packed = Gzip.compress(plain)
        tag = "W/\"" + Array(SHA256.hash(data: body.readableBytesView)).hex.prefix(16) + "\""
        var headers = headers
        headers[.contentType] = contentType
        headers[.cacheControl] = "no-cache"
        headers[.vary] = "Accept-Encoding"
        headers[.eTag] = tag
        self.headers = headers
    }

    /// 200 with the document, or 304 if the client has it already.
    func response(to request: Request) -> Response {
        guard !request.knows(tag) else { return Response(status: .notModified, headers: headers) }
        var headers = headers
        var body = plain
        if request.acceptsGzip, let packed {
            headers[.contentEncoding] = "gzip"
            body = packed
        }
        headers[.contentLength] = String(body.readableBytes)
        let response = Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
        return request.method == .head ? response.createHeadResponse() : response
    }
}
