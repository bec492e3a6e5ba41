import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncStore
import Synchronization

/// `HEAD`, `PATCH` and `DELETE /projects/{id}/uploads/{id}/`, and what begins an upload:
/// https://datatracker.ietf.org/doc/draft-ietf-httpbis-resumable-upload/
struct FileUploadController<Store: SyncStore>: Sendable {
    let service: FileUploadService<Store>
    let limits: UploadHeaders.Limits
    let interim: InterimAnswers
    private let told = ToldUploads()

    init(service: FileUploadService<Store>, limits: UploadHeaders.Limits, interim: InterimAnswers) {
        self.service = service
        self.limits = limits
        self.interim = interim
    }

    /// Answers `PUT` of a file that is to come in pieces. The body may be the first one.
    func begin(
        fileOf digest: String, in project: String, _ request: Request, _ context: CallerContext
    ) async throws -> Response {
        let length = try UploadHeaders.number(.uploadLength, request)
        guard var state = try await service.begin(digest, length: length, to: project, from: context.caller) else {
            return known(request)
        }
        let sends = request.headers[.contentLength].map { $0 != "0" } ?? (request.headers[.transferEncoding] != nil)
        // What was begun before goes on where it is.
        if sends, state.offset == 0 {
            let piece = FileUploadService<Store>.Piece(offset: 0, isLast: false, length: request.announcedLength)
            state = try await append(piece: piece, request, to: state.id, in: project, context)
        }
        return answer(to: request, .created, state, adding: [.location: location(of: state.id, in: project)])
    }

    /// Answers `PUT` of a whole file, whose client is told at once where it may go on: by 104. Returns nil for a client
    /// that gets none, and for one that sends all again though it was told.
    func receive(
        fileOf digest: String, in project: String, _ request: Request, _ context: CallerContext
    ) async throws -> Response? {
        guard let version = UploadVersion(request), interim.go(to: request) else { return nil }
        let length = try UploadHeaders.number(.uploadLength, request) ?? request.announcedLength
        let begun = try await service.begin(digest, length: length, to: project, from: context.caller)
        guard let begun else { return known(request) }
        let isBegun = begun.offset > 0
        if isBegun, !told.tell(begun.id) { return nil }
        let location = location(of: begun.id, in: project)
        version.tell(location, on: context.channel)
        guard !isBegun else { throw unanswered(context) }
        do {
            let piece = FileUploadService<Store>.Piece(offset: 0, isLast: true, length: request.announcedLength)
            let state = try await append(piece: piece, request, to: begun.id, in: project, context)
            return answer(to: request, .created, state, adding: [.location: location])
        } catch let problem as Problem where problem.code == .uploadOffsetMismatch {
            // An earlier request was still under way.
            throw unanswered(context)
        }
    }

    /// The client has to ask where it goes on, and does if the connection ends.
    private func unanswered(_ context: CallerContext) -> Problem {
        LingeringClose.endUnanswered(context.channel)
        return Problem(.uploadOffsetMismatch, "The upload goes on where HEAD says.")
    }

    private func known(_ request: Request) -> Response {
        var headers: HTTPFields = [.uploadComplete: "?1"]
        UploadVersion(request)?.translate(&headers)
        return Response(status: .ok, headers: headers)
    }

    /// The path of an upload.
    func location(of id: String, in project: String) -> String {
        "/api/v1/projects/\(project)/sync/uploads/\(id)/"
    }

    private func answer(
        to request: Request, _ status: HTTPResponse.Status, _ state: FileUploadService<Store>.State,
        adding more: HTTPFields = [:]
    ) -> Response {
        var headers = UploadHeaders.headers(of: state.offset, state.length, isComplete: state.isComplete, limits)
        for field in more { headers[field.name] = field.value }
        UploadVersion(request)?.translate(&headers)
        return Response(status: status, headers: headers)
    }

    func state(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (project, id) = try place(context)
        let state = try await service.state(of: id, in: project, for: context.caller)
        told.forget(id)
        return answer(to: request, .noContent, state)
    }

    func append(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (project, id) = try place(context)
        told.forget(id)
        try request.requirePlainBody()
        try UploadHeaders.requirePiece(request)
        guard let offset = try UploadHeaders.number(.uploadOffset, request),
            let isLast = try UploadHeaders.isComplete(request)
        else { throw UploadHeaders.missing }
        do {
            let piece = FileUploadService<Store>.Piece(
                offset: offset, isLast: isLast, length: request.announcedLength)
            let state = try await append(piece: piece, request, to: id, in: project, context)
            return answer(to: request, state.isComplete ? .created : .noContent, state)
        } catch let problem as Problem where problem.code == .uploadOffsetMismatch {
            var reply = Reply(problem)
            reply.headers[.uploadOffset] = problem.members["offset"]?.text
            reply.headers[.uploadComplete] = "?0"
            UploadVersion(request)?.translate(&reply.headers)
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

/// The uploads whose client was told to ask where it goes on, instead of sending all again.
///
/// A client that sends all again nevertheless was not reached, or was killed before it could ask. What it sends is read
/// then, and the next time it is told once more.
final class ToldUploads: Sendable {
    private static let most = 1000

    private let ids = Mutex<Set<String>>([])

    /// Returns whether the client is to be told. If not, it has not asked since it was told.
    func tell(_ id: String) -> Bool {
        ids.withLock { ids in
            // Whoever is forgotten here is told once more.
            if ids.count >= Self.most { ids.removeAll() }
            guard !ids.insert(id).inserted else { return true }
            ids.remove(id)
            return false
        }
    }

    /// The client has asked.
    func forget(_ id: String) { _ = ids.withLock { $0.remove(id) } }
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
        let saysIncomplete = UploadVersion(request)?.saysIncomplete ?? false
        guard let text = request.headers[saysIncomplete ? .uploadIncomplete : .uploadComplete] else { return nil }
        guard text == "?0" || text == "?1" else {
            throw Problem(
                .invalidHeader,
                saysIncomplete
                    ? "Upload-Incomplete is ?0 with the last bytes, and ?1 before."
                    : "Upload-Complete is ?1 with the last bytes, and ?0 before.")
        }
        return (text == "?1") != saysIncomplete
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
        if let version = UploadVersion(request), !version.namesPieces { return }
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
