import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncStore

/// `HEAD`, `PATCH` and `DELETE /projects/{id}/uploads/{id}/`, and what begins an upload:
/// https://datatracker.ietf.org/doc/draft-ietf-httpbis-resumable-upload/
struct FileUploadController<Store: SyncStore>: Sendable {
    let service: FileUploadService<Store>
    let limits: UploadHeaders.Limits

    /// Answers `PUT` of a file that is to come in pieces. The body may be the first one.
    func begin(
        fileOf digest: String, in project: String, _ request: Request, _ context: CallerContext
    ) async throws -> Response {
        let length = try UploadHeaders.number(.uploadLength, request)
        guard var state = try await service.begin(digest, length: length, to: project, from: context.caller) else {
            return Response(status: .ok, headers: [.uploadComplete: "?1"])
        }
        let sends = request.headers[.contentLength].map { $0 != "0" } ?? (request.headers[.transferEncoding] != nil)
        // What was begun before goes on where it is.
        if sends, state.offset == 0 {
            let piece = FileUploadService<Store>.Piece(offset: 0, isLast: false, length: request.announcedLength)
            state = try await append(piece: piece, request, to: state.id, in: project, context)
        }
        var headers = UploadHeaders.headers(of: state.offset, state.length, isComplete: false, limits)
        headers[.location] = "/api/v1/projects/\(project)/sync/uploads/\(state.id)/"
        return Response(status: .created, headers: headers)
    }

    func state(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (project, id) = try place(context)
        let state = try await service.state(of: id, in: project, for: context.caller)
        return Response(
            status: .noContent,
            headers: UploadHeaders.headers(of: state.offset, state.length, isComplete: state.isComplete, limits))
    }

    func append(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (project, id) = try place(context)
        try request.requirePlainBody()
        try UploadHeaders.requirePiece(request)
        guard let offset = try UploadHeaders.number(.uploadOffset, request),
            let isLast = try UploadHeaders.isComplete(request)
        else { throw UploadHeaders.missing }
        do {
            let piece = FileUploadService<Store>.Piece(
                offset: offset, isLast: isLast, length: request.announcedLength)
            let state = try await append(piece: piece, request, to: id, in: project, context)
            return Response(
                status: state.isComplete ? .created : .noContent,
                headers: UploadHeaders.headers(of: state.offset, state.length, isComplete: state.isComplete, limits))
        } catch let problem as Problem where problem.code == .uploadOffsetMismatch {
            var reply = Reply(problem)
            reply.headers[.uploadOffset] = problem.members["offset"]?.text
            reply.headers[.uploadComplete] = "?0"
            return reply.response(to: request)
        }
    }

    func cancel(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (project, id) = try place(context)
        try await service.cancel(id, in: project, for: context.caller)
        return .noContentUnstored
    }

    /// A failure that is not the client's is not answered: many clients give an upload up after one.
    func append(
        piece: FileUploadService<Store>.Piece, _ request: Request, to id: String, in project: String,
        _ context: CallerContext
    ) async throws -> FileUploadService<Store>.State {
        do {
            return try await service.append(piece, request.body, to: id, in: project, from: context.caller)
        } catch let problem as Problem {
            throw problem
        } catch {
            try? await context.channel.close()
            throw error
        }
    }

    func place(_ context: CallerContext) throws -> (project: String, id: String) {
        (try context.parameters.require("project"), try context.parameters.require("upload"))
    }
}

/// The headers of uploads that go on.
enum UploadHeaders {
    /// What the server tells of its limits.
    struct Limits: Sendable {
        /// The most bytes of a file.
        let size: Int64
        /// How many seconds an upload stays that gets no bytes.
        let age: Int64

        var text: String { "max-size=\(size), max-age=\(age)" }
    }

    static func headers(of offset: Int64, _ length: Int64?, isComplete: Bool, _ limits: Limits) -> HTTPFields {
        var headers: HTTPFields = [
            .uploadOffset: String(offset), .uploadComplete: isComplete ? "?1" : "?0", .cacheControl: "no-store",
            .uploadLimit: limits.text,
        ]
        if let length { headers[.uploadLength] = String(length) }
        return headers
    }

    /// `Upload-Complete`; nil if it is not there. Throws `invalid_header`.
    static func isComplete(_ request: Request) throws -> Bool? {
        guard let text = request.headers[.uploadComplete] else { return nil }
        guard text == "?0" || text == "?1" else {
            throw Problem(.invalidHeader, "Upload-Complete is ?1 with the last bytes, and ?0 before.")
        }
        return text == "?1"
    }

    /// A header with a number of bytes; nil if it is not there. Throws `invalid_header`.
    static func number(_ name: HTTPField.Name, _ request: Request) throws -> Int64? {
        guard let text = request.headers[name] else { return nil }
        guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy(\.isASCIIDigit), let number = Int64(text) else {
            throw Problem(.invalidHeader, "\(name.rawName) is a number of bytes.")
        }
        return number
    }

    /// Throws `unsupported_media_type` unless the body says that it is a piece, or nothing.
    static func requirePiece(_ request: Request) throws {
        guard let type = request.headers[.contentType], type != "application/partial-upload" else { return }
        throw Problem(.unsupportedMediaType, "Send the bytes as application/partial-upload.")
    }

    static let missing = Problem(
        .invalidHeader, "Send Upload-Offset with the place of the first byte, and Upload-Complete.")
}

extension Request {
    var announcedLength: Int64? { headers[.contentLength].flatMap { Int64($0) } }
}

extension HTTPField.Name {
    static let uploadOffset = HTTPField.Name("Upload-Offset")!
    static let uploadComplete = HTTPField.Name("Upload-Complete")!
    static let uploadLength = HTTPField.Name("Upload-Length")!
    static let uploadLimit = HTTPField.Name("Upload-Limit")!
}
