import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import SyncEngine
import SyncProtocol
import SyncStore

/// `PUT` and `GET /projects/{id}/files/{sha256}/`.
struct FileController<Store: SyncStore>: Sendable {
    let service: FileService<Store>
    let uploads: FileUploadController<Store>

    func send(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (project, digest) = try place(context)
        try request.requirePlainBody()
        try request.requireReprDigest(of: digest)
        if let isComplete = try UploadHeaders.isComplete(request) {
            let answer =
                try await isComplete
                ? uploads.receive(fileOf: digest, in: project, request, context)
                : uploads.begin(fileOf: digest, in: project, request, context)
            if let answer { return answer }
        }
        let isNew = try await service.receive(
            digest, length: request.headers[.contentLength].flatMap { Int64($0) }, request.body, of: project,
            from: context.caller)
        return Reply(status: isNew ? .created : .ok, body: ByteBuffer()).response(to: request)
    }

    func read(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (project, digest) = try place(context)
        let file = try await service.find(digest, of: project, for: context.caller)
        let tag = "\"\(digest)\""
        var headers = FileHeaders.headers(of: file, tag: tag)
        if request.headers[.ifNoneMatch].map({ $0 == "*" || $0.contains(tag) }) ?? false {
            return Response(status: .notModified, headers: headers)
        }
        let ifRange = request.headers[.ifRange]
        let asked = ifRange == nil || ifRange == tag ? request.headers[.range].flatMap(ByteRange.init) : nil
        guard let range = asked.map({ $0.bytes(of: file.size) }) ?? 0..<file.size else {
            var reply = Reply(
                Problem(.rangeNotSatisfiable, "The file has \(file.size) bytes.", members: ["size": .int(file.size)]))
            reply.headers[.contentRange] = "bytes */\(file.size)"
            return reply.response(to: request)
        }
        let open = try await service.open(file)
        do {
            headers[.contentType] = try await FileHeaders.mediaType(of: open, file.size)
        } catch {
            await open.close()
            throw error
        }
        if asked != nil {
            headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(file.size)"
        }
        guard request.method != .head else {
            await open.close()
            headers[.contentLength] = String(range.count)
            return Response(status: asked == nil ? .ok : .partialContent, headers: headers)
        }
        let body = ResponseBody(contentLength: range.count) { writer in
            var next = range.lowerBound
            do {
                while next < range.upperBound {
                    let bytes = try await open.read(next..<range.upperBound)
                    next += Int64(bytes.readableBytes)
                    try await writer.write(bytes)
                }
            } catch {
                await open.close()
                throw error
            }
            await open.close()
            try await writer.finish(nil)
        }
        return Response(status: asked == nil ? .ok : .partialContent, headers: headers, body: body)
    }

    private func place(_ context: CallerContext) throws -> (project: String, digest: String) {
        let digest = try context.parameters.require("sha256")
        guard digest.isFileDigest else {
            throw Problem(.invalidParameter, "The path ends with the SHA-256 of the file, in 64 digits of 0-9 and a-f.")
        }
        return (try context.parameters.require("project"), digest)
    }
}

/// What an answer with a file says of it. No file of a user is shown as a page of this server, whatever it is.
private enum FileHeaders {
    static func headers(of file: StoredFile, tag: String) -> HTTPFields {
        [
            .eTag: tag, .acceptRanges: "bytes", .reprDigest: "sha-256=:\(ReprDigest.base64(ofHex: file.digest)):",
            .cacheControl: "private, max-age=86400, immutable", .contentDisposition: "attachment",
            .xContentTypeOptions: "nosniff", .contentSecurityPolicy: "sandbox",
        ]
    }

    /// The first bytes decide: what a row or a client says is a claim.
    static func mediaType(of file: any OpenFile, _ size: Int64) async throws -> String {
        guard size > 0 else { return FileType.other.mediaType }
        let start = try await file.read(0..<min(size, Int64(FileType.decisive)))
        return FileType(beginning: start.readableBytesView).mediaType
    }
}

/// `Repr-Digest` (RFC 9530 section 3) with SHA-256.
enum ReprDigest {
    static func base64(ofHex digest: String) -> String {
        let digits = Array(digest.utf8)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { place in
            UInt8(String(decoding: digits[place...(place + 1)], as: UTF8.self), radix: 16) ?? 0
        }
        return Data(bytes).base64EncodedString()
    }
}

extension Request {
    /// Throws `digest_mismatch` if `Repr-Digest` has another SHA-256, and `invalid_header` if that is not readable.
    /// Other algorithms are ignored.
    fileprivate func requireReprDigest(of digest: String) throws {
        guard let header = headers[.reprDigest] else { return }
        for member in header.split(separator: ",") {
            let parts = member.trimming(while: \.isWhitespace).split(separator: "=", maxSplits: 1)
            guard parts.first == "sha-256" else { continue }
            guard parts.count == 2, parts[1].count > 2, parts[1].first == ":", parts[1].last == ":" else {
                throw Problem(.invalidHeader, "Repr-Digest has the form sha-256=:…: with the digest in base64.")
            }
            guard parts[1].dropFirst().dropLast() == ReprDigest.base64(ofHex: digest) else {
                throw Problem(.digestMismatch, "Repr-Digest is not the digest in the path. Nothing was kept.")
            }
        }
    }
}

extension HTTPRequest {
    /// Whether the body is a file's, or a piece of one: as long as a file may be, and not held in memory.
    var sendsFile: Bool {
        guard method == .put || method == .patch, let place = path?.prefix(while: { $0 != "?" }) else { return false }
        return place.contains(method == .put ? "/files/" : "/uploads/")
    }
}

extension HTTPResponse {
    /// How many bytes of a file it has; 0 for any other answer.
    var fileLength: Int {
        headerFields[.acceptRanges] == nil ? 0 : headerFields[.contentLength].flatMap { Int($0) } ?? 0
    }
}

extension HTTPField.Name {
    static let reprDigest = HTTPField.Name("Repr-Digest")!
}
