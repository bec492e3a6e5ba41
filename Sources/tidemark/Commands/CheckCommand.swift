import ArgumentParser
import SyncProtocol
import SyncStoreSQLite

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Look a database or a backup through for faults.",
        discussion: """
            Reads everything and changes nothing, also while a server runs on the file. Ends with status 1 where something is
            wrong, and says what to do about it.
            Example: tidemark check --database plans.db
            """)

    @OptionGroup var database: DatabasePath
    @Flag(help: "Print the result as JSON.") var json = false

    func run() async throws {
        let report = try DatabaseCheck(path: database.path).run()
        print(json ? report.json.text : report.text)
        if !report.isSound { throw ExitCode.failure }
    }
}
