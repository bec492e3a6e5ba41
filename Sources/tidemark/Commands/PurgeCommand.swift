import ArgumentParser
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore

struct PurgeCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.writes
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Remove old tombstones of deleted rows, and old files.",
        discussion: """
            A client whose last pull is older than a removed tombstone starts from 0 at its next pull. 0s removes all \
            tombstones. A server does the same by itself, once an hour.
            Examples: tidemark purge --older-than 90d --database plans.db
                      tidemark purge --older-than 90d --files-older-than 30d --database plans.db
            """)

    @Option(
        help: ArgumentHelp("Remove tombstones that are older than this, for example 90d, 12h or 0s.", valueName: "span")
    )
    var olderThan: TimeSpan
    @Option(
        help: ArgumentHelp(
            "Also remove files that no row has named for longer than this. Backups that are older lose them.",
            valueName: "span"))
    var filesOlderThan: TimeSpan?
    @OptionGroup var store: StoreOption
    @Flag(help: "Print the result as JSON.") var json = false
    @OptionGroup var database: DatabaseOption

    func run() async throws {
        let (report, files) = try await database.with(Self.self, files: store.settings) { wiring in
            let service = wiring.services.purges
            let report = try await service.purge(olderThan: olderThan.duration)
            var files: Int?
            if let filesOlderThan { files = try await wiring.services.sweepFiles(olderThan: filesOlderThan.duration) }
            try await wiring.services.audit.note(
                .purged,
                [
                    "older_than_seconds": .int(olderThan.duration.components.seconds),
                    "tombstones": .int(Int64(report.tombstones)), "projects": .int(Int64(report.projects)),
                    "files": .int(Int64(files ?? 0)),
                ])
            return (report, files)
        }
        if json {
            let counts: JSON = [
                "tombstones": .int(Int64(report.tombstones)), "projects": .int(Int64(report.projects)),
                "files": .int(Int64(files ?? 0)),
            ]
            return try Terminal.result(json: counts)
        }
        try Terminal.result(
            "Removed \(counted(report.tombstones, "tombstone")) from \(counted(report.projects, "project"))"
                + (files.map { ", and \(counted($0, "file"))." } ?? "."))
    }
}
