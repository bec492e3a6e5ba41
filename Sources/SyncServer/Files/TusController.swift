import Foundation
import HTTPTypes
import Hummingbird
import SyncEngine
import SyncProtocol
import SyncStore

/// Uploads by the tus protocol 1.0, on the same resources: https://tus.io/protocols/resumable-upload
///
/// It has core, `creation` and `termination`. `Upload-Metadata` names the file by its `sha256`. A wrong digest has
/// status 460, as in the extension for checksums, and voids the upload.
struct TusController<Store: SyncStore>: Sendable {
    let uploads: FileUploadController<Store>

    /// Tells of limits and versions.
    func options(_ request: Request, _ context: CallerContext) async throws -> Response {
        Response(
            status: .noContent,
            headers: [
                .tusResumable: Tus.version, .tusVersion: Tus.version, .tusExtension: "creation,termination",
                .tusMaxSize: String(uploads.limits.size), .uploadLimit: uploads.limits.text, .cacheControl: "no-store",
            ])
    }

    func begin(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await answering(request) {
            let project = try context.parameters.require("project")
            guard let length = try UploadHeaders.number(.uploadLength, request) else {
                throw Problem(.invalidHeader, "Send Upload-Length with the number of bytes. It can't be deferred.")
            }
            let digest = try Tus.digest(request.headers[.uploadMetadata] ?? "")
            var begun = try await fresh(digest, length: length, in: project, context)
            if begun.offset > 0 {
                // A client that has a place goes on there. This one begins at 0.
                try await uploads.service.cancel(begun.id, in: project, for: context.caller)
                begun = try await fresh(digest, length: length, in: project, context)
            }
            let state = try await ended(begun, by: request, in: project, context)
            let place = uploads.location(of: state.id, in: project)
            return Response(status: .created, headers: headers(state, [.location: place]))
        }
    }

    func state(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await answering(request) {
            let (project, id) = try uploads.place(context)
            let state = try await uploads.service.state(of: id, in: project, for: context.caller)
            return Response(status: .ok, headers: headers(try await ended(state, by: request, in: project, context)))
        }
    }

    func append(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await answering(request) {
            let (project, id) = try uploads.place(context)
            try request.requirePlainBody()
            guard request.headers[.contentType] == "application/offset+octet-stream" else {
                throw Problem(.unsupportedMediaType, "Send the bytes as application/offset+octet-stream.")
            }
            guard let offset = try UploadHeaders.number(.uploadOffset, request) else {
                throw Problem(.invalidHeader, "Send Upload-Offset with the place of the first byte.")
            }
            let piece = FileUploadService<Store>.Piece(offset: offset, isLast: nil, length: request.announcedLength)
            let state = try await uploads.append(piece: piece, request, to: id, in: project, context)
            return Response(status: .noContent, headers: headers(state))
        }
    }

    func cancel(_ request: Request, _ context: CallerContext) async throws -> Response {
        try await answering(request) { try await uploads.cancel(request, context) }
    }

    private func fresh(
        _ digest: String, length: Int64, in project: String, _ context: CallerContext
    ) async throws -> FileUploadService<Store>.State {
        let begun = try await uploads.service.begin(
            digest, length: length, to: project, from: context.caller, alsoKnown: true)
        guard let begun else { throw Problem(.internalError, "No upload was begun.") }
        return begun
    }

    /// A client of tus takes an upload for done when all bytes are there, and so it has to be. It sends nothing of an
    /// empty file, and a server that was killed may have had the last bytes.
    private func ended(
        _ state: FileUploadService<Store>.State, by request: Request, in project: String, _ context: CallerContext
    ) async throws -> FileUploadService<Store>.State {
        guard !state.isComplete, state.offset == state.length else { return state }
        let nothing = FileUploadService<Store>.Piece(offset: state.offset, isLast: true, length: 0)
        return try await uploads.append(piece: nothing, request, to: state.id, in: project, context)
    }

    private func headers(
        _ state: FileUploadService<Store>.State, _ more: HTTPFields = [:]
    ) -> HTTPFields {
        var headers = more
        headers[.uploadOffset] = String(state.offset)
        headers[.uploadLength] = state.length.map(String.init)
        headers[.uploadMetadata] = "sha256 \(Data(state.digest.utf8).base64EncodedString())"
        headers[.cacheControl] = "no-store"
        return headers
    }

    /// Every answer says which version it is of.
    private func answering(_ request: Request, _ body: () async throws -> Response) async throws -> Response {
        var response: Response
        do {
            guard request.headers[.tusResumable] == Tus.version else {
                throw Problem(.unsupportedTusVersion, "Send Tus-Resumable: \(Tus.version).")
            }
            response = try await body()
        } catch let problem as Problem {
            var reply = Reply(problem)
            if problem.code == .digestMismatch { reply.status = Tus.checksumMismatch }
            if problem.code == .unsupportedTusVersion { reply.headers[.tusVersion] = Tus.version }
            if problem.code == .uploadOffsetMismatch {
                reply.headers[.uploadOffset] = problem.members["offset"]?.text
            }
            response = reply.response(to: request)
        }
        response.headers[.tusResumable] = Tus.version
        return response
    }
}

/// The words of tus.
enum Tus {
    static let version = "1.0.0"
    static let checksumMismatch = HTTPResponse.Status(code: 460, reasonPhrase: "Checksum Mismatch")

    /// Whether the request is one of tus.
    static func isAsked(_ request: Request) -> Bool { request.headers[.tusResumable] != nil }

    /// The `sha256` in `Upload-Metadata`: names and values in base64, with commas between. Throws `invalid_header`.
    static func digest(_ metadata: String) throws -> String {
        let pairs = metadata.split(separator: ",").map { $0.split(separator: " ", omittingEmptySubsequences: true) }
        let value = pairs.first { $0.first == "sha256" }?.dropFirst().first
        guard let value, let bytes = Data(base64Encoded: String(value)),
            case let digest = String(decoding: bytes, as: UTF8.self),
            digest.isFileDigest
        else {
            throw Problem(
                .invalidHeader,
                "Name the file in Upload-Metadata: `sha256` and, in base64, the 64 digits of its SHA-256.")
        }
        return digest
    }
}

extension HTTPField.Name {
    fileprivate static let tusExtension = HTTPField.Name("Tus-Extension")!
    fileprivate static let tusMaxSize = HTTPField.Name("Tus-Max-Size")!
    fileprivate static let tusResumable = HTTPField.Name("Tus-Resumable")!
    fileprivate static let tusVersion = HTTPField.Name("Tus-Version")!
    fileprivate static let uploadMetadata = HTTPField.Name("Upload-Metadata")!
}
