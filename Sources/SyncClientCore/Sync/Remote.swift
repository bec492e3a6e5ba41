import Foundation
import SyncProtocol
@_exported public import SyncTransport

#if Server
    public import SyncAsyncHTTPClient
#endif

/// One project on a server, or all projects of a user, with a token for them.
public struct Remote: Sendable {
    /// What is synced.
    public let scope: SyncScope
    private let base: String
    let token: String

    /// Names a project on a server, like `init(url:scope:token:)`.
    public init(url: String, project: String, token: String) throws {
        try self.init(url: url, scope: .project(project), token: token)
    }

    /// Names a project, or all projects of the token's user. `url` is the server's address, such as
    /// `https://tidemark.example.org`; it may end in `/api/v1`. `token` is an access token or an API token; spaces and
    /// newlines around it are ignored.
    ///
    /// Sends nothing. Throws `SyncError.transport` when `url` is not an absolute http(s) URL, and
    /// `SyncError.invalidProject` when no project can have this id.
    public init(url: String, scope: SyncScope, token: String) throws {
        base = try Self.base(url)
        if case .project(let project) = scope, !RowID.isValid(project) { throw SyncError.invalidProject(project) }
        self.scope = scope
        self.token = token.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The address of the API on a server. Throws `SyncError.transport` if `url` is no absolute http(s) URL.
    static func base(_ url: String) throws -> String {
        let trimmed = url.trimmingCharacters(in: CharacterSet(charactersIn: "/"))
        guard let parsed = URL(string: trimmed), ["http", "https"].contains(parsed.scheme?.lowercased() ?? ""),
            parsed.host?.isEmpty == false, parsed.query == nil, parsed.fragment == nil
        else { throw SyncError.transport(.invalidURL(url)) }
        return trimmed.hasSuffix("/api/v1") ? trimmed : trimmed + "/api/v1"
    }

    /// The same with another token.
    func with(token: String) -> Remote { Remote(scope: scope, base: base, token: token) }

    private init(scope: SyncScope, base: String, token: String) {
        self.scope = scope
        self.base = base
        self.token = token.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The project's id; nil for all projects.
    public var project: String? { scope.project }

    private var sync: String { base + (project.map { "/projects/\($0)" } ?? "") + "/sync/" }

    private var headers: [String: String] { ["Authorization": "Bearer \(token)", "Accept": "application/json"] }

    func upload(_ batch: UploadBatch, timeout: Duration) -> TransportRequest {
        let headers = headers.merging(["Content-Type": "application/json"]) { $1 }
        return TransportRequest(
            method: .post, url: sync, headers: headers, body: Data(batch.body.utf8), timeout: timeout)
    }

    /// A request for a file of a project.
    func file(_ digest: String, of project: String) -> TransportRequest {
        TransportRequest(url: base + "/projects/\(project)/sync/files/\(digest)/", headers: headers, timeout: .zero)
    }

    /// A request for an upload. By the id alone: a proxy may have the server below another path, and no token goes to
    /// another place.
    func fileUpload(_ id: String, of project: String) -> TransportRequest {
        TransportRequest(url: base + "/projects/\(project)/sync/uploads/\(id)/", headers: headers, timeout: .zero)
    }

    /// Asks for the token's user.
    func whoAmI(timeout: Duration) -> TransportRequest {
        TransportRequest(url: base + "/auth/me/", headers: headers, timeout: timeout)
    }

    /// Opens the event stream. `lastEvent` is the id of the last event of an earlier one.
    func events(after lastEvent: String?) -> TransportRequest {
        var headers = headers.merging(["Accept": "text/event-stream"]) { $1 }
        headers["Last-Event-ID"] = lastEvent
        let query = project.map { "?projects=\($0)" } ?? ""
        return TransportRequest(url: base + "/events/" + query, headers: headers, timeout: .zero)
    }

    func request(_ fetch: Fetch, timeout: Duration) -> TransportRequest {
        var headers = headers
        switch fetch {
        case .schema(let known):
            headers["If-None-Match"] = known.map { "\"\($0)\"" }
            return TransportRequest(url: base + "/schemas/", headers: headers, timeout: timeout)
        case .page(let since, let cursor, let size, let replacing, let wait, let isStream, let part):
            var query = "?since=\(since)"
            if isStream { query += "&stream=true" }
            if let size { query += "&page_size=\(size)" }
            if let cursor { query += "&cursor=\(Self.escaped(cursor))" }
            if let migration = replacing.migration { query += "&migration=\(Self.escaped(migration.text))" }
            for (name, value) in part?.parameters ?? [] { query += "&\(name)=\(Self.escaped(value))" }
            if wait > 0 { query += "&wait=\(wait)" }
            var request = TransportRequest(
                url: sync + query, headers: headers, timeout: timeout + .seconds(wait))
            request.hold = .seconds(wait)
            return request
        }
    }

    /// Percent-encodes a query value. Cursors are base64url, so they stay as they are. Nothing that a server
    /// invents can become another parameter.
    private static func escaped(_ text: String) -> String {
        let unreserved = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
    }
}

#if Server
    /// The transport before `URLSessionTransport`.
    @available(*, deprecated, message: "Use URLSessionTransport, or AsyncHTTPClientTransport of SyncAsyncHTTPClient.")
    public typealias HTTPTransport = AsyncHTTPClientTransport
    /// The authorities that it trusts.
    @available(*, deprecated, message: "Import SyncAsyncHTTPClient.")
    public typealias CertificateAuthorities = SyncAsyncHTTPClient.CertificateAuthorities
#else
    /// The transport before `URLSessionTransport`.
    @available(
        *, unavailable,
        message: """
            Use URLSessionTransport, which trusts the authorities that the system trusts. For others, use \
            AsyncHTTPClientTransport of SyncAsyncHTTPClient, with the package's trait Server.
            """
    )
    public enum HTTPTransport {}
    /// The authorities that it trusts.
    @available(
        *, unavailable,
        message: """
            URLSessionTransport trusts the authorities that the system trusts. For others, use \
            AsyncHTTPClientTransport of SyncAsyncHTTPClient, with the package's trait Server.
            """
    )
    public enum CertificateAuthorities {}
#endif
