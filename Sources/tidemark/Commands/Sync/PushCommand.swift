import ArgumentParser
import SyncClient

struct PushCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Send what was edited in a replica.",
        discussion: """
            A push that was stopped, or had no answer, is repeated by the next without doing anything twice. \
            Prints the number of rows that the server took. Edits that it did not take are named and kept, and the \
            status is 3 then: see `tidemark refused`. The token is read from TIDEMARK_TOKEN or --token-file.
            Example: tidemark push http://127.0.0.1:8080 --project 3f6c… --replica plan.replica
            """)

    @OptionGroup var connection: Connection

    func run() async throws { try await connection.run(.push) }
}
