import HTTPTypes
package import Hummingbird
import NIOCore
package import SyncProtocol

/// Reads request bodies.
package enum JSONBody {
    /// 16 MiB.
    static let maximumBytes = 16 << 20
    /// Levels of arrays and objects.
    static let maximumDepth = 32

    /// Throws `body_too_large`, `unsupported_media_type`, `unsupported_content_encoding`, `invalid_json`.
    package static func read(_ request: Request) async throws -> JSON {
        try request.requirePlainBody()
        try request.requireJSON()
        let bytes = try await bytes(of: request)
        do {
            return try JSON(parsing: bytes.readableBytesView, maximumDepth: maximumDepth)
        } catch let error as JSONError {
            throw Problem(.invalidJSON, error.sentence)
        }
    }

    /// The members of a body that must be an object. Throws what `read` throws, and `invalid_body`.
    static func fields(of request: Request) async throws -> [String: JSON] {
        guard let fields = try await read(request).object else {
            throw Problem(.invalidBody, "The body must be a JSON object of fields.")
        }
        return fields
    }

    /// A client that hangs up in the middle of a body is not the server's fault.
    private static func bytes(of request: Request) async throws -> ByteBuffer {
        do {
            return try await request.body.collect(upTo: maximumBytes)
        } catch let problem as Problem {
            throw problem
        } catch is NIOTooManyBytesError {
            throw Problem.bodyTooLarge(maximumBytes)
        } catch {
            throw Problem(.invalidBody, "The body ended early.")
        }
    }
}

extension JSONError {
    fileprivate var sentence: String {
        switch self {
        case .malformed(let reason): "The body is not valid JSON: \(reason)"
        case .tooDeep(let limit): "The body is nested deeper than \(limit) levels."
        }
    }
}
