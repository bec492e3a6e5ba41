import Foundation
import SyncProtocol

/// One project on one server, and the right to use it.
public struct Remote: Sendable {
    /// The project's id.
    public let project: String
    private let base: String
    private let token: String

    /// `url` is where the server answers, such as `https://tidemark.example.org`; the path of the API may be on it.
    /// Throws `SyncError.transport` for anything but an absolute http(s) URL, `invalidProject` for ids that can't be
    /// one.
    public init(url: String, project: String, token: String) throws {
        let trimmed = url.trimmingCharacters(in: CharacterSet(charactersIn: "/"))
        guard let parsed = URL(string: trimmed), ["http", "https"].contains(parsed.scheme?.lowercased() ?? ""),
            parsed.host?.isEmpty == false, parsed.query == nil, parsed.fragment == nil
        else { throw SyncError.transport(.invalidURL(url)) }
        guard RowID.isValid(project) else { throw SyncError.invalidProject(project) }
        self.project = project
        self.token = token.trimmingCharacters(in: .whitespacesAndNewlines)
        base = trimmed.hasSuffix("/api/v1") ? trimmed : trimmed + "/api/v1"
    }

    private var sync: String { base + "/projects/\(project)/sync/" }

    private var headers: [String: String] { ["Authorization": "Bearer \(token)", "Accept": "application/json"] }

    func upload(_ batch: UploadBatch, timeout: Duration) -> TransportRequest {
        let headers = headers.merging(["Content-Type": "application/json"]) { $1 }
        return TransportRequest(
            method: .post, url: sync, headers: headers, body: Data(batch.body.utf8), timeout: timeout)
    }

    func request(_ fetch: Fetch, timeout: Duration) -> TransportRequest {
        var headers = headers
        switch fetch {
        case .schema(let known):
            headers["If-None-Match"] = known.map { "\"\($0)\"" }
            return TransportRequest(url: base + "/schemas/", headers: headers, timeout: timeout)
        case .page(let since, let cursor, let size, let replacing):
            var query = "?since=\(since)"
            if let size { query += "&page_size=\(size)" }
            if let cursor { query += "&cursor=\(Self.escaped(cursor))" }
            if !replacing.isEmpty {
                let migration: JSON = ["tables": .array(replacing.map(JSON.string))]
                query += "&migration=\(Self.escaped(migration.text))"
            }
            return TransportRequest(url: sync + query, headers: headers, timeout: timeout)
        }
    }

    /// Cursors are base64url and so pass unchanged; whatever else a server makes up can't become another parameter.
    private static func escaped(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}
