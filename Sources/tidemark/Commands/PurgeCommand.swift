import ArgumentParser
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore

struct PurgeCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.writes
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Remove old tombstones of deleted rows.",
        discussion: """
            A client whose last pull is older than a removed tombstone starts from 0 at its next pull. 0s removes all \
            tombstones. A server does the same by itself, once an hour.
            Example: tidemark purge --older-than 90d --database plans.db
            """)

    @Option(
        help: ArgumentHelp("Remove tombstones that are older than this, for example 90d, 12h or 0s.", valueName: "span")
    )
    var olderThan: TimeSpan
    @Flag(help: "Print the result as JSON.") var json = false
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let report = try await database.with(Self.self) { wiring in
            let service = wiring.services.purges
            let report = try await service.purge(olderThan: olderThan.duration)
            try await wiring.services.audit.note(
                .purged,
                [
                    "older_than_seconds": .int(olderThan.duration.components.seconds),
                    "tombstones": .int(Int64(report.tombstones)), "projects": .int(Int64(report.projects)),
                ])
            return report
        }
        if json {
            let counts: JSON = [
                "tombstones": .int(Int64(report.tombstones)), "projects": .int(Int64(report.projects)),
            ]
            return try Terminal.result(json: counts)
        }
        try Terminal.result(
            "Removed \(counted(report.tombstones, "tombstone")) from \(counted(report.projects, "project")).")
    }
}
