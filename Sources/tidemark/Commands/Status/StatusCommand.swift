import ArgumentParser
import SyncClient
import SyncProtocol

struct StatusCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show how a running server is doing.",
        discussion: """
            Needs the token of a superuser, which is read from TIDEMARK_TOKEN or --token-file. Counts begin at the \
            server's start. Of several servers, the one that answers is shown. --json prints all that it says.
            Example: tidemark status https://tidemark.example.org --token-file token
            """)

    @OptionGroup var server: ServerOptions
    @Flag(help: "Print the result as JSON.") var json = false

    func run() async throws {
        let status = try await status()
        try json ? Terminal.result(json: status) : Terminal.result(StatusText(status).lines.map(\.plain))
    }

    func status() async throws -> JSON {
        let answer = try await server.withClient { try await $0.ask(.get, "/admin/status/") }
        guard answer.response.status == 200, answer.json["metrics"] != nil else { throw CommandError(refusal(answer)) }
        return answer.json
    }

    private func refusal(_ answer: ServerClient.Answer) -> String {
        switch answer.response.status {
        case 401: "The server does not know the token. `tidemark token create` makes one."
        case 403: "\(answer.problem) `tidemark user add NAME --superuser` makes such an account."
        case 404: "\(server.url) does not know this question. It is an older server, or something else."
        default: answer.problem
        }
    }
}
