import ArgumentParser
import SyncClient

struct PushCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "push", abstract: "Send the edits that were made in a replica.",
        discussion: """
            If a push is stopped or gets no answer, the next push repeats it, and nothing is done twice. Prints the \
            number of rows that the server took. If the server refuses edits, they are listed and kept, and the exit \
            status is 3: see `tidemark refused`. The token is read from TIDEMARK_TOKEN or --token-file.
            Example: tidemark push http://127.0.0.1:8080 --all --replica mine.replica
            Example: tidemark push http://127.0.0.1:8080 --project 3f6c… --replica plan.replica
            """)

    @OptionGroup var connection: Connection

    func run() async throws { try await connection.run(.push) }
}
