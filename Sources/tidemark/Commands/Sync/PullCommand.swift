import ArgumentParser
import SyncClient

struct PullCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Copy a project, or all of them, into a local SQLite replica, as a phone does.",
        discussion: """
            You can stop it at any time. The next run continues where it stopped. Prints the commit number that the \
            replica has reached. The token is read from TIDEMARK_TOKEN or --token-file. With --all instead of \
            --project, one replica holds all projects that you are a member of; a replica of one project becomes one \
            of all, and keeps its unsent edits.
            Example: tidemark pull http://127.0.0.1:8080 --all --replica mine.replica
            Example: tidemark pull http://127.0.0.1:8080 --project 3f6c… --replica plan.replica
            """)

    @OptionGroup var connection: Connection

    func run() async throws { try await connection.run(.pull) }
}
