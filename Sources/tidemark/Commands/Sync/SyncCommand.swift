import ArgumentParser
import SyncClient

struct SyncCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sync", abstract: "Pull, push, and pull what came of that.",
        discussion: """
            With --watch it goes on until stopped, and sends edits of `tidemark task` as they are made. \
            Prints the commit reached. Edits that the server did not take are named and kept, and the status is 3 \
            then: see `tidemark refused`. The token is read from TIDEMARK_TOKEN or --token-file.
            Example: tidemark sync http://127.0.0.1:8080 --project 3f6c… --replica plan.replica --watch
            """)

    @OptionGroup var connection: Connection

    func run() async throws { try await connection.run(.both) }
}
