import Foundation
import SyncProtocol
import SyncTransport

/// The requests of docs/protocol.md, “Files” and “Uploads that go on”. None is repeated. An answer counts only if it
/// says what only Tidemark says: a page to log in to a network has a 200 as well.
struct FileExchange: Sendable {
    /// The fewest bytes that the server takes in a second. A slower connection is broken there.
    private static let slowest = 16 << 10

    let session: Session
    /// The time for a request, besides that for its bytes.
    let timeout: Duration

    /// How far an upload is.
    enum Reached: Sendable, Equatable {
        /// The server has the file.
        case whole
        /// The server has so many bytes.
        case offset(Int64)
    }

    /// Begins an upload, or finds the one that was begun. Returns nil if the server has the file.
    func begin(_ entry: FileEntry) async throws -> (upload: String, offset: Int64?)? {
        var request = session.remote.file(entry.digest, of: entry.project)
        request.method = .put
        request.headers.merge(["Upload-Complete": "?0", "Upload-Length": "\(entry.size)"]) { $1 }
        let answer = try await send(request)
        if answer.status == 200, answer.isComplete { return nil }
        guard answer.status == 201, let upload = answer.upload else { throw FileTrouble.foreign(answer) }
        return (upload, answer.offset)
    }

    /// How far an upload is.
    func state(_ upload: String, of entry: FileEntry) async throws -> Reached {
        var request = session.remote.fileUpload(upload, of: entry.project)
        request.method = .head
        let answer = try await send(request)
        guard answer.status == 204, let offset = answer.offset else { throw FileTrouble.foreign(answer) }
        return answer.isComplete ? .whole : .offset(offset)
    }

    /// Adds bytes at an offset. Returns how far the upload is then.
    func append(_ bytes: Data, at offset: Int64, to upload: String, of entry: FileEntry) async throws -> Reached {
        var request = session.remote.fileUpload(upload, of: entry.project)
        request.method = .patch
        request.body = bytes
        let isLast = offset + Int64(bytes.count) == entry.size
        let headers = [
            "Content-Type": "application/partial-upload", "Upload-Offset": "\(offset)",
            "Upload-Complete": isLast ? "?1" : "?0",
        ]
        request.headers.merge(headers) { $1 }
        let answer = try await send(request, bytes: bytes.count)
        if answer.status == 201, answer.isComplete { return .whole }
        guard answer.status == 204, let offset = answer.offset else { throw FileTrouble.foreign(answer) }
        return .offset(offset)
    }

    /// Bytes of a file, at most `count` of them, and how many it has in all.
    func read(
        _ digest: String, of project: String, at offset: Int64, count: Int
    ) async throws -> (bytes: Data, size: Int64) {
        var request = session.remote.file(digest, of: project)
        request.headers["Range"] = "bytes=\(offset)-\(offset + Int64(count) - 1)"
        request.headers["If-Range"] = "\"\(digest)\""
        request.headers["Accept"] = "*/*"
        let answer = try await send(request, bytes: count) { $0 == 416 }
        guard answer.headers["etag"] == "\"\(digest)\"" || answer.status == 416 else {
            throw FileTrouble.foreign(answer)
        }
        let size = answer.size
        switch answer.status {
        case 200: return (answer.body.dropFirst(Int(offset)), Int64(answer.body.count))
        case 206:
            guard let size, !answer.body.isEmpty else { throw FileTrouble.foreign(answer) }
            return (answer.body, size)
        case 416:
            guard let size, offset == size else { throw FileTrouble.foreign(answer) }
            return (Data(), size)
        default: throw FileTrouble.foreign(answer)
        }
    }

    /// Throws `FileTrouble`, and `SyncError` if all requests would fail so.
    private func send(
        _ request: TransportRequest, bytes: Int = 0, accepts: (Int) -> Bool = { _ in false }
    ) async throws -> TransportResponse {
        var request = request
        request.timeout = timeout + .seconds(bytes / Self.slowest)
        switch try await session.exchange(request) {
        case .success(let answer):
            if (200..<300).contains(answer.status) || accepts(answer.status) { return answer }
            let problem = answer.problem
            if answer.status == 401 {
                throw SyncError.refused(status: 401, code: problem.code, detail: problem.detail)
            }
            throw FileTrouble(
                status: answer.status, code: problem.code, detail: problem.detail, retryAfter: answer.retryAfter)
        case .failure(let error):
            guard error.isTransient else { throw SyncError.transport(error) }
            throw FileTrouble(status: 0, code: "", detail: error.description, retryAfter: nil)
        }
    }
}

/// Why a request for a file failed.
struct FileTrouble: Error {
    /// 0 if nothing has answered.
    let status: Int
    /// Empty if it is not the server that says so.
    let code: String
    let detail: String
    let retryAfter: Duration?

    static func foreign(_ answer: TransportResponse) -> FileTrouble {
        FileTrouble(status: answer.status, code: "", detail: answer.asForeign, retryAfter: nil)
    }

    /// Whether the request itself is refused.
    var isRefusal: Bool { (400..<500).contains(status) && ![408, 429].contains(status) }

    /// Whether the same request can't succeed later: Tidemark says so. What else answers in its place may go away.
    var isFinal: Bool { isRefusal && status != 409 && (!code.isEmpty || status == 413) }
}

extension TransportResponse {
    fileprivate var isComplete: Bool { headers["upload-complete"] == "?1" }
    fileprivate var offset: Int64? { headers["upload-offset"].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil } }

    /// The last part of `Location`, which ends with a slash.
    fileprivate var upload: String? {
        guard let parts = headers["location"]?.split(separator: "/"), parts.count > 1, let id = parts.last,
            parts[parts.count - 2] == "uploads", RowID.isValid(String(id))
        else { return nil }
        return String(id)
    }

    /// The size in `Content-Range`.
    fileprivate var size: Int64? {
        headers["content-range"]?.split(separator: "/").last.flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }
}
