import HTTPTypes
package import Hummingbird
import NIOCore
import SyncEngine
package import SyncProtocol
import SyncSchema

/// Reads request bodies.
package enum JSONBody {
    /// 16 MiB.
    static let maximumBytes = 16 << 20
    /// Levels of arrays and objects.
    static let maximumDepth = 32

    /// Throws `body_too_large`, `unsupported_media_type`, `unsupported_content_encoding`, `invalid_json`.
    package static func read(_ request: Request) async throws -> JSON {
        try await read(request) { try JSON(parsing: $0, maximumDepth: maximumDepth) }
    }

    /// The same, but half a surrogate pair is no reason to refuse the body: whoever called refuses, or mends, what
    /// holds it.
    static func mended(_ request: Request) async throws -> MendedJSON {
        try await read(request) { try MendedJSON(parsing: $0, maximumDepth: maximumDepth) }
    }

    private static func read<Document>(
        _ request: Request, _ parse: (ByteBufferView) throws -> Document
    ) async throws -> Document {
        try request.requirePlainBody()
        try request.requireJSON()
        let bytes = try await bytes(of: request)
        do {
            return try parse(bytes.readableBytesView)
        } catch let error as JSONError {
            throw Problem(.invalidJSON, error.sentence)
        }
    }

    /// The fields of a row. Throws what `fields` throws, and `invalid_rows` with the fields that hold half a surrogate
    /// pair.
    static func row(of request: Request, in collection: Collection) async throws -> [String: JSON] {
        let body = try await mended(request)
        guard let fields = body.value.object else { throw noObject }
        if let refusal = Problem(refusing: body.halves, of: collection) { throw refusal }
        return fields
    }

    /// The members of a body that must be an object. Throws what `read` throws, and `invalid_body`.
    static func fields(of request: Request) async throws -> [String: JSON] {
        guard let fields = try await read(request).object else { throw noObject }
        return fields
    }

    private static var noObject: Problem { Problem(.invalidBody, "The body must be a JSON object of fields.") }

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
