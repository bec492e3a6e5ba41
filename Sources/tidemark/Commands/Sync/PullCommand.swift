import ArgumentParser
import SyncClient

struct PullCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Copy a project into a local SQLite replica, as a phone does.",
        discussion: """
            You can stop it at any time. The next run continues where it stopped. Prints the commit number that the \
            replica has reached. The token is read from TIDEMARK_TOKEN or --token-file.
            Example: tidemark pull http://127.0.0.1:8080 --project 3f6c… --replica plan.replica
            """)

    @OptionGroup var connection: Connection

    func run() async throws { try await connection.run(.pull) }
}
