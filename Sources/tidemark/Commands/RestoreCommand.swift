import ArgumentParser
import Foundation
import SyncFiles
import SyncProtocol
import SyncStore
import SyncStoreSQLite
import SyncStores

struct RestoreCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.none
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Put a backup in the place of a database.",
        discussion: """
            Checks the backup, then copies it and the files that its rows name. The database's path must be free: stop \
            the server, and move the database and its -wal and -shm files away. Files that are still there stay. Start \
            the server afterwards; clients start again from 0.
            Examples: tidemark restore /backup/before-upgrade.db --database plans.db
                      tidemark restore /backup --database plans.db
            """)

    @Argument(help: "A backup. Or a folder of backups of the database, for the newest one.") var backup: String
    @OptionGroup var database: DatabasePath
    @OptionGroup var store: StoreOption
    @Flag(help: "Print the result as JSON.") var json = false

    func run() async throws {
        let path = try database.requireFile("restore", instead: "Restore the PostgreSQL cluster with its own tools.")
        let backup = try file()
        let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
        guard log ?? 0 == 0 else {
            throw CommandError("There is \(path)-wal, the log of the database that was there. Move it away first.")
        }
        let source = FilesFolder.path(ofBackup: backup) ?? FilesFolder.path(besides: backup)
        let files = restoring(from: source, to: try store.target(of: path))
        let result = try Backup(of: backup, to: path, files: files, acceptsOlder: true).run()
        try json ? Terminal.result(json: result.json(from: backup)) : Terminal.result(result.text(from: backup))
        if files == nil { Terminal.message(Self.aboutBuckets) }
        guard let loss = result.files.loss(from: source) else { return }
        Terminal.message(loss + " Their rows become pending when the server starts.")
        throw ExitCode.failure
    }

    private static let aboutBuckets =
        "The files are in the bucket of TIDEMARK_FILES_STORE, which the server compares with the database when it "
        + "starts. What is missing there becomes pending."

    /// Nil if the files stay in a bucket.
    private func restoring(from source: String, to target: FilesPlace) -> (any FileBackup)? {
        guard case .folder(let folder) = target else { return nil }
        return FolderBackup(from: source, to: folder)
    }

    /// The backup itself, or the newest one of the database in the folder.
    private func file() throws -> String {
        let folder = BackupFolder(backup, of: database.path)
        guard folder.exists else { return backup }
        guard let newest = try folder.newest() else {
            throw CommandError("\(backup) has no backup of \(database.path). Name the backup itself.")
        }
        return newest
    }
}

extension BackupResult {
    fileprivate func json(from backup: String) -> JSON {
        [
            "database": .string(file), "backup": .string(backup), "bytes": .int(Int64(bytes)),
            "files": .int(Int64(files.files)), "lost_files": .int(Int64(files.lost)), "checked": .bool(isChecked),
        ]
    }

    fileprivate func text(from backup: String) -> String {
        let copies = files.files > 0 ? ", with \(counted(files.files, "file"))" : ""
        let check =
            isChecked
            ? "" : " An older version made it, so it is not checked: run `tidemark check` when the server runs."
        return "Restored \(file) from \(backup)\(copies). Start the server on it." + check
    }
}
