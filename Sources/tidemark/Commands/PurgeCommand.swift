import ArgumentParser
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore

struct PurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Remove old tombstones of deleted rows.",
        discussion: """
            Clients that last pulled before one of them was made start from 0 at their next pull. 0s removes all tombstones.
            The server does the same by itself, once an hour.
            Example: tidemark purge --older-than 90d --database plans.db
            """)

    @Option(help: ArgumentHelp("The age of a tombstone, as 90d, 12h or 0s.", valueName: "span"))
    var olderThan: TimeSpan
    @Flag(help: "Print the result as JSON.") var json = false
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let report = try await database.with { wiring in
            let service = wiring.services.purges
            return try await service.purge(olderThan: olderThan.duration)
        }
        if json {
            let counts: JSON = [
                "tombstones": .int(Int64(report.tombstones)), "projects": .int(Int64(report.projects)),
            ]
            return print(counts.text)
        }
        print("Removed \(counted(report.tombstones, "tombstone")) from \(counted(report.projects, "project")).")
    }
}
