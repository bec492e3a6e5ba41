import ArgumentParser
import SyncClient

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
        let transport = HTTPTransport(authorities: try CertificateAuthorities(named: ca))
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(ServerClient(base: base, token: token, transport: transport)))
        } catch { result = .failure(error) }
        try? await transport.shutdown()
        return try result.get()
    }
}
