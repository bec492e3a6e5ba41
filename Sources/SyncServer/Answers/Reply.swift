import CZlib
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import SyncEngine
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
        case .busy, .diskFull: headers[.retryAfter] = problem.members["retry_after"]?.text ?? "1"
        case .rateLimited, .tooManyStreams, .tooManyUploads: headers[.retryAfter] = problem.members["retry_after"]?.text
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
        parts = [packed]
        isPacked = true
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

/// A whole drain as one answer: like a page if it is short, otherwise in chunks.
///
/// If a stream breaks, its connection is closed without the chunk of length 0 that
/// ends a body (RFC 9112 section 8), so no client takes the answer for complete.
struct StreamReply: Sendable {
    let stream: PullStream
    let channel: any Channel
    let logger: Logger
    /// Called when everything is sent, or will be with the answer.
    let whenSent: @Sendable () -> Void

    func response(to request: Request) -> Response {
        if stream.isWhole {
            var reply = Reply(body: stream.first)
            reply.headers[.tidemarkHead] = stream.head.description
            whenSent()
            return reply.response(to: request)
        }
        var headers: HTTPFields = [.tidemarkHead: stream.head.description]
        headers.describe("application/json; charset=utf-8")
        if request.acceptsGzip { headers[.contentEncoding] = "gzip" }
        let response = Response(status: .ok, headers: headers, body: body(packs: request.acceptsGzip))
        return request.method == .head ? response.createHeadResponse() : response
    }

    private func body(packs: Bool) -> ResponseBody {
        ResponseBody { [self] writer in
            // If the client does not read, sending waits. Only closing the connection ends that.
            stream.onCut(close)
            defer { stream.abandon() }
            try await send(&writer, packs ? try Self.packer() : nil)
            try await writer.finish(nil)
            whenSent()
        }
    }

    private func close(for error: any Error) {
        switch error as? StreamCut {
        case .stalled: logger.notice("stream cut off: the client does not read")
        case .outgrown: logger.notice("stream cut off: too much was written while the client was reading")
        case .abandoned, nil: logger.error("stream failed", metadata: ["error": "\(error)"])
        }
        channel.close(promise: nil)
    }

    @concurrent private func send(_ writer: inout any ResponseBodyWriter, _ packer: GzipStream?) async throws {
        var bytes = stream.first
        var isLast = false
        while true {
            try await writer.write(packer?.pack(bytes, isLast: isLast) ?? bytes)
            if isLast { return }
            (bytes, isLast) = try await stream.next()
        }
    }

    private static func packer() throws -> GzipStream {
        guard let packer = GzipStream(.once) else {
            throw Problem(.busy, "The server has no memory left to compress the answer. Try again.")
        }
        return packer
    }
}

/// The values of `Accept` or `Accept-Encoding` with their weights
/// (RFC 9110 section 12.4.2). Other parameters are ignored.
struct QualityValues {
    private var weights: [Substring: Double] = [:]

    init(_ header: String) {
        for element in header.lowercased().split(separator: ",") {
            let parts = element.split(separator: ";").map { $0.trimming(while: \.isWhitespace) }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            weights[name] = weight ?? 1
        }
    }

    var names: some Collection<Substring> { weights.keys }

    /// The weight of a name; nil if the list does not have it. 0 means that the client does not accept it.
    subscript(name: String) -> Double? { weights[Substring(name)] }
}

/// Gzip (RFC 1952), made by zlib.
enum Gzip {
    /// The body, compressed in one go; nil if zlib has no memory.
    static func compress(_ body: ByteBuffer, _ effort: GzipStream.Effort = .once) -> ByteBuffer? {
        GzipStream(effort)?.pack(body, isLast: true)
    }
}
