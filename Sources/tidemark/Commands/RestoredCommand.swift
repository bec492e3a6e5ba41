import ArgumentParser
import SyncProtocol
import SyncStoreSQLite

struct RestoredCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restored", abstract: "Say that a database is an older copy, not made by `tidemark backup`.",
        discussion: """
            All clients start from 0 at their next pull, and all users log in again. A backup by `tidemark backup` says so
            itself when it is opened for the first time.
            Example: tidemark restored --database plans.db
            """)

    @Flag(help: "Print the result as JSON.") var json = false
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let jump = try await database.with { try await $0.restored() }
        if json {
            let values: JSON = ["jump": .int(jump.distance), "projects": .int(Int64(jump.projects))]
            return print(values.text)
        }
        print("Raised the commit numbers of \(counted(jump.projects, "project")) by \(jump.distance).")
    }
}
