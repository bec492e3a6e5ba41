import ArgumentParser
import SyncProtocol
import SyncStoreSQLite

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a database or a backup for faults.",
        discussion: """
            Reads everything and changes nothing. A server may be running on the file. If something is wrong, it says \
            what to do, and the exit status is 1.
            Example: tidemark check --database plans.db
            """)

    @OptionGroup var database: DatabasePath
    @Flag(help: "Print the result as JSON.") var json = false

    func run() async throws {
        let report = try DatabaseCheck(
            path: database.requireFile(
                "check", instead: "This version can't check a PostgreSQL database yet.")
        ).run()
        print(json ? report.json.text : report.text)
        if !report.isSound { throw ExitCode.failure }
    }
}
