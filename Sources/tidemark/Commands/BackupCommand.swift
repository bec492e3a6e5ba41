import ArgumentParser
import Foundation
import SyncProtocol
import SyncStore
import SyncStoreSQLite

struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Copy a database, also while a server runs on it.",
        discussion: """
            The copy is one file. To restore it, put it in the database's place while no server runs, and start one.
            Examples: tidemark backup /backup/before-upgrade.db --database plans.db
                      tidemark backup /backup --keep 7 --database plans.db
            """)

    @Argument(help: "The file to make, one that exists is left alone; or a folder, for a file named after the time.")
    var target: String
    @Option(help: ArgumentHelp("In a folder: how many of this database to keep, the new one included.", valueName: "n"))
    var keep: Int?
    @OptionGroup var database: DatabasePath
    @Flag(help: "Leave out the space that is not used any more; takes several times as long.") var compact = false
    @Flag(help: "Print the result as JSON.") var json = false

    func validate() throws {
        guard let keep else { return }
        guard keep >= 1 else { throw ValidationError("--keep takes a number from 1.") }
        guard folder.exists else {
            throw ValidationError("--keep is for a folder, and \(target) is none. Make it first.")
        }
    }

    func run() async throws {
        let result = try backUp()
        print(json ? result.json.text : result.text)
    }

    private var folder: BackupFolder { BackupFolder(target, of: database.path) }

    private func backUp() throws -> BackupResult {
        guard folder.exists else {
            return BackupResult(file: target, bytes: try Backup(of: database.path, to: target, as: form).run())
        }
        return try folder.backUp(at: WallClock.system.now(), keep: keep, as: form)
    }

    private var form: Backup.Form { compact ? .compact : .pages }
}

extension BackupResult {
    fileprivate var json: JSON {
        ["file": .string(file), "bytes": .int(Int64(bytes)), "removed": .array(removed.map { .string($0) })]
    }

    fileprivate var text: String {
        (["\(file): \(bytes) bytes"] + removed.map { "removed \($0)" }).joined(separator: "\n")
    }
}
