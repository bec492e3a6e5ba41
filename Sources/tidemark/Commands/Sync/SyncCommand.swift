import ArgumentParser
import SyncClient

struct SyncCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Pull, push, and pull the result of the push.",
        discussion: """
            With --watch it runs until stopped, and sends edits of `tidemark row` and `tidemark task` as they are \
            made. Prints the commit number that the replica has reached. If the server refuses edits, they are \
            listed and kept, and the exit status is 3: see `tidemark refused`. The token is read from TIDEMARK_TOKEN \
            or --token-file.
            Example: tidemark sync http://127.0.0.1:8080 --all --replica mine.replica --watch
            Example: tidemark sync http://127.0.0.1:8080 --project 3f6c… --replica plan.replica --watch
            """)

    @OptionGroup var connection: Connection

    func run() async throws { try await connection.run(.both) }
}
