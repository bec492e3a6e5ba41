import ArgumentParser
import Foundation
import SyncProtocol
import SyncStoreSQLite

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy a database, also while a server runs on it.",
        discussion: """
            The copy is one file. To restore it, put it in the database's place while no server runs, and start one.
            Example: tidemark backup /backup/plans-2026-06-01.db --database plans.db
            """)

    @Argument(help: "The file to make; one that exists is left alone.") var file: String
    @Option(help: ArgumentHelp("The database file.", valueName: "file")) var database = "tidemark.db"
    @Flag(help: "Print the result as JSON.") var json = false

    func run() async throws {
        let bytes = try Backup(of: database, to: file).run()
        if json { return print((["file": .string(file), "bytes": .int(Int64(bytes))] as JSON).text) }
        print("\(file): \(bytes) bytes")
    }
}
