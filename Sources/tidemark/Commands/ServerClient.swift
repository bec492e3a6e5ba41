import ArgumentParser
import Foundation
import SyncAsyncHTTPClient
import SyncClientCore
import SyncProtocol

/// Requests of commands that ask a server, such as `tidemark doctor`.
struct ServerClient: Sendable {
    /// The URL up to `/api/v1`.
    let base: String
    let token: String
    let transport: any Transport

    /// Nil if it is not the address of a server.
    static func base(of url: String) -> String? {
        let trimmed = url.trimmingCharacters(in: CharacterSet(charactersIn: "/"))
        guard let parsed = URL(string: trimmed), ["http", "https"].contains(parsed.scheme?.lowercased() ?? ""),
            parsed.host?.isEmpty == false, parsed.query == nil, parsed.fragment == nil
        else { return nil }
        return trimmed.hasSuffix("/api/v1") ? trimmed : trimmed + "/api/v1"
    }

    /// An answer and how long it took.
    struct Answer: Sendable {
        let response: TransportResponse
        let time: Duration

        var json: JSON { (try? JSON(parsing: response.body)) ?? .null }
        /// What went wrong, for a person.
        var problem: String { json["detail"]?.string ?? "It answered with status \(response.status)." }
    }

    func ask(
        _ method: TransportRequest.Method = .get, _ path: String, body: JSON? = nil, isOpen: Bool = false
    ) async throws -> Answer {
        try await answer(to: request(method, path, body: body, isOpen: isOpen))
    }

    func answer(to request: TransportRequest) async throws -> Answer {
        let begun = ContinuousClock.now
        let response = try await transport.send(request)
        return Answer(response: response, time: ContinuousClock.now - begun)
    }

    func request(
        _ method: TransportRequest.Method, _ path: String, body: JSON? = nil, isOpen: Bool = false
    ) -> TransportRequest {
        var headers = ["Accept": "application/json"]
        if !isOpen { headers["Authorization"] = "Bearer \(token)" }
        if body != nil { headers["Content-Type"] = "application/json" }
        return TransportRequest(
            method: method, url: base + path, headers: headers, body: body.map { Data($0.text.utf8) } ?? Data(),
            timeout: .seconds(15))
    }
}

/// The options of commands that ask a server.
struct ServerOptions: ParsableArguments {
    @Argument(help: "The server's URL.") var url: String
    @OptionGroup var token: TokenOptions
    @Option(
        help: ArgumentHelp(
            "The certificate authorities to trust instead of the machine's, as PEM.", valueName: "file"))
    var ca: String?

    /// Connections are closed at the end, whatever `body` throws.
    func withClient<Value: Sendable>(_ body: (ServerClient) async throws -> Value) async throws -> Value {
        let token = try token.value()
        guard let base = ServerClient.base(of: url) else { throw CommandError("\(TransportError.invalidURL(url))") }
        let transport = AsyncHTTPClientTransport(authorities: try CertificateAuthorities(named: ca))
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(ServerClient(base: base, token: token, transport: transport)))
        } catch { result = .failure(error) }
        try? await transport.shutdown()
        return try result.get()
    }
}
