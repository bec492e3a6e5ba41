import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// A JSON answer. A large one is compressed if the client accepts gzip.
struct Reply {
    var status: HTTPResponse.Status = .ok
    /// The body, in pieces that are sent one after another.
    private var parts: [ByteBuffer]
    /// Whether the body is compressed already.
    var isPacked = false
    var headers: HTTPFields = [:]
    var contentType = "application/json; charset=utf-8"

    init(status: HTTPResponse.Status = .ok, body: ByteBuffer) {
        self.status = status
        parts = [body]
    }

    init(parts: [ByteBuffer]) { self.parts = parts }

    init(status: HTTPResponse.Status = .ok, _ json: JSON) {
        self.init(status: status, body: ByteBuffer(bytes: json.bytes))
    }

    /// A page of a list. `next` leads to the next page; nil on the last.
    init(results: some Sequence<JSON>, next: String?) {
        self.init(["results": .array(Array(results)), "next": next.map(JSON.string) ?? .null])
    }

    /// A problem document (RFC 9457), with the headers that belong to its code.
    init(_ problem: Problem) {
        self.init(status: problem.code.status, problem.document)
        contentType = Problem.mediaType
        switch problem.code {
        case .unauthorized, .invalidCredentials, .invalidRefreshToken:
            headers[.wwwAuthenticate] = "Bearer realm=\"tidemark\""
        case .busy: headers[.retryAfter] = problem.members["retry_after"]?.text ?? "1"
        case .rateLimited, .tooManyStreams: headers[.retryAfter] = problem.members["retry_after"]?.text
        default: break
        }
    }

    /// In bytes. A smaller body fits one packet anyway.
    private static let compressionThreshold = 1400

    /// The answer to `request`. The answer to HEAD has no body, only its headers.
    consuming func response(to request: Request) -> Response {
        headers.describe(contentType)
        if !isPacked, request.acceptsGzip { pack() }
        if isPacked { headers.append(HTTPField(name: .contentEncoding, value: "gzip")) }
        headers.append(HTTPField(name: .contentLength, value: String(count)))
        let body = parts.count == 1 ? ResponseBody(byteBuffer: parts[0]) : ResponseBody(contentsOf: parts)
        let response = Response(status: status, headers: headers, body: body)
        // A client would take a body after HEAD for the start of the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }

    private var count: Int { parts.reduce(0) { $0 + $1.readableBytes } }

    private mutating func pack() {
        guard count >= Reply.compressionThreshold else { return }
        let body = parts.dropFirst().reduce(into: parts[0]) { $0.writeImmutableBuffer($1) }
        guard let packed = Gzip.compress(body) else { return }
        (parts, isPacked) = ([packed], true)
    }
}

extension Problem {
    static let mediaType = "application/problem+json"

    /// The problem document (RFC 9457).
    var document: JSON {
        var members = members
        members["type"] = "about:blank"
        members["title"] = .string(code.status.reasonPhrase)
        members["status"] = .int(Int64(code.status.code))
        members["detail"] = .string(detail)
        members["code"] = .string(code.rawValue)
        members["errors"] = .array(errors.map(\.json))
        return .object(members)
    }
}

extension HTTPFields {
    /// Adds the headers that every answer with a body has.
    mutating func describe(_ contentType: String) {
        append(HTTPField(name: .contentType, value: contentType))
        append(HTTPField(name: .cacheControl, value: "no-store"))
        append(HTTPField(name: .vary, value: "Accept-Encoding"))
    }
}

extension Request {
    /// Whether the client accepts gzip (RFC 9110 section 12.5.3): `gzip` or `*` is listed, and not with `q=0`.
    var acceptsGzip: Bool {
        guard let header = headers[.acceptEncoding] else { return false }
        // Most clients send exactly this.
        if header == "gzip" { return true }
        let accepted = QualityValues(header)
        return (accepted["gzip"] ?? accepted["*"] ?? 0) > 0
    }
}

extension Response {
    /// 204 to a change of accounts or credentials, which nobody may keep.
    static var noContentUnstored: Response { Response(status: .noContent, headers: [.cacheControl: "no-store"]) }
}
