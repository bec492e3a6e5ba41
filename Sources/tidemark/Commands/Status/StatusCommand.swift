import ArgumentParser
import Foundation
import SyncClient
import SyncProtocol

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how a running server is doing.",
        discussion: """
            Needs the token of a superuser, which is read from TIDEMARK_TOKEN or --token-file. Counts begin at the \
            server's start. Of several servers, the one that answers is shown. --json prints all that it says.
            Example: tidemark status https://tidemark.example.org --token-file token
            """)

    @Argument(help: "The server's URL.") var url: String
    @OptionGroup var token: TokenOptions
    @Option(
        help: ArgumentHelp(
            "The certificate authorities to trust instead of the machine's, as PEM.", valueName: "file"))
    var ca: String?
    @Flag(help: "Print the result as JSON.") var json = false

    func run() async throws {
        let status = try await status()
        print(json ? status.text : StatusText(status).lines.joined(separator: "\n"))
    }

    func status() async throws -> JSON {
        let token = try token.value()
        guard let base = ServerClient.base(of: url) else { throw CommandError("\(TransportError.invalidURL(url))") }
        let transport = HTTPTransport(authorities: try CertificateAuthorities(named: ca))
        let result: Result<ServerClient.Answer, any Error>
        do {
            result = .success(
                try await ServerClient(base: base, token: token, transport: transport).ask(.get, "/admin/status/"))
        } catch { result = .failure(error) }
        try? await transport.shutdown()
        let answer = try result.get()
        guard answer.response.status == 200, answer.json["metrics"] != nil else { throw CommandError(refusal(answer)) }
        return answer.json
    }

    private func refusal(_ answer: ServerClient.Answer) -> String {
        switch answer.response.status {
        case 401: "The server does not know the token. `tidemark token create` makes one."
        case 403: "\(answer.problem) `tidemark user add NAME --superuser` makes such an account."
        case 404: "\(url) does not know this question. It is an older server, or something else."
        default: answer.problem
        }
    }
}
