import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// A JSON answer. Large ones are compressed where the client takes gzip.
struct Reply {
    var status: HTTPResponse.Status = .ok
    var body: ByteBuffer
    var headers: HTTPFields = [:]
    var contentType = "application/json; charset=utf-8"

    init(status: HTTPResponse.Status = .ok, body: ByteBuffer) {
        self.status = status
        self.body = body
    }

    init(status: HTTPResponse.Status = .ok, _ json: JSON) {
        self.init(status: status, body: ByteBuffer(string: json.text))
    }

    /// RFC 9457.
    init(_ problem: Problem) {
        let status = problem.code.status
        var members = problem.members
        members["type"] = "about:blank"
        members["title"] = .string(status.reasonPhrase)
        members["status"] = .int(Int64(status.code))
        members["detail"] = .string(problem.detail)
        members["code"] = .string(problem.code.rawValue)
        members["errors"] = .array(problem.errors.map(\.json))
        self.init(status: status, .object(members))
        contentType = "application/problem+json"
        switch problem.code {
        case .unauthorized, .invalidCredentials, .invalidRefreshToken:
            headers[.wwwAuthenticate] = "Bearer realm=\"tidemark\""
        case .busy: headers[.retryAfter] = "1"
        case .rateLimited: headers[.retryAfter] = problem.members["retry_after"]?.text
        default: break
        }
    }

    /// Smaller bodies fit one packet anyway.
    private static let compressionThreshold = 1400

    func response(to request: Request) -> Response {
        var headers = headers
        var body = body
        headers.describe(contentType)
        if body.readableBytes >= Reply.compressionThreshold, request.acceptsGzip, let packed = Gzip.compress(body) {
            headers[.contentEncoding] = "gzip"
            body = packed
        }
        headers[.contentLength] = String(body.readableBytes)
        let response = Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
        // A body behind HEAD would be taken for the start of the next answer.
        return request.method == .head ? response.createHeadResponse() : response
    }
}

extension HTTPFields {
    /// What every answer with a body says of it.
    mutating func describe(_ contentType: String) {
        self[.contentType] = contentType
        self[.cacheControl] = "no-store"
        self[.vary] = "Accept-Encoding"
    }
}

extension Request {
    /// RFC 9110 section 12.5.3: gzip is listed (or `*` is), and not with `q=0`.
    var acceptsGzip: Bool {
        var quality: [String: Double] = [:]
        for element in (headers[.acceptEncoding] ?? "").lowercased().split(separator: ",") {
            let parts = element.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            quality[name] = weight ?? 1
        }
        return (quality["gzip"] ?? quality["*"] ?? 0) > 0
    }
}
