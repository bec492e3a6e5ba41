import ArgumentParser
import Foundation
import SyncEngine
import SyncProtocol
import SyncStore
import SyncStoreSQLite
import SyncStores

struct BackupCommand: AsyncParsableCommand, ClassifiedCommand {
    static let databaseUse = DatabaseUse.reads
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Make a backup of a database, also while a server is running on it.",
        discussion: """
            A backup is one file, and the files that rows name lie beside it. To restore it, stop the server, move the \
            database and its -wal and -shm files away, run `tidemark restore`, and start the server.
            Examples: tidemark backup /backup/before-upgrade.db --database plans.db
                      tidemark backup /backup --keep 7 --database plans.db
            """)

    @Argument(help: "The backup file, which must not exist yet. Or a folder, for a file that is named after the time.")
    var target: String
    @Option(
        help: ArgumentHelp(
            "In a folder: how many backups of this database to keep, including the new one. Older ones are removed.",
            valueName: "n"))
    var keep: Int?
    @OptionGroup var database: DatabasePath
    @OptionGroup var store: StoreOption
    @Flag(help: "Leave out the files that rows name.") var withoutFiles = false
    @Flag(help: "Leave out unused space. This takes several times as long.") var compact = false
    @Flag(help: "Print the result as JSON.") var json = false

    func validate() throws {
        guard let keep else { return }
        guard keep >= 1 else { throw ValidationError("--keep must be at least 1.") }
        guard folder.exists else {
            throw ValidationError("--keep needs a folder, and \(target) is not a folder. Create the folder first.")
        }
    }

    func run() async throws {
        let result = try backUp()
        do {
            try await note(result)
        } catch {
            Terminal.message("The backup is complete, but it is not in the audit list: \(error)")
        }
        try json ? Terminal.result(json: result.json) : Terminal.result(result.text)
        let files = try store.place(of: database.path)
        if !withoutFiles, let about = files?.aboutBackups, try EngineStore.namesFiles(database.path) {
            Terminal.message(about)
        }
        if let loss = result.files.loss(from: files?.name ?? "") {
            Terminal.message(loss)
            throw ExitCode.failure
        }
    }

    private var folder: BackupFolder { BackupFolder(target, of: database.path) }

    private func backUp() throws -> BackupResult {
        _ = try database.requireFile("backup", instead: "Back up the PostgreSQL cluster with its own tools.")
        if !withoutFiles { try requireFiles() }
        guard folder.exists else {
            let files = try copying()?(FilesFolder.path(besides: target))
            return try Backup(of: database.path, to: target, as: form, files: files).run()
        }
        return try folder.backUp(at: WallClock.system.now(), keep: keep, as: form, copying: copying())
    }

    private func copying() throws -> ((String) -> any FileBackup)? {
        try withoutFiles ? nil : store.place(of: database.path)?.copying
    }

    /// A backup without files would look like a whole one to whoever has put them elsewhere.
    private func requireFiles() throws {
        guard case .folder(let files) = try store.place(of: database.path),
            !FileManager.default.fileExists(atPath: files), try EngineStore.namesFiles(database.path)
        else { return }
        throw CommandError(
            "\(database.path) names files, and there is no folder \(files). Name the server's folder with --store, or "
                + "leave the files out with --without-files.")
    }

    /// Adds the backup to the audit list of the database. The source may be a file that takes no entry: one of an older
    /// version, or a backup itself.
    private func note(_ result: BackupResult) async throws {
        let store = try SQLiteStore(asItIs: database.path, mender: DraftMender())
        let entry = AuditEntry(
            .backupMade, by: .thisProcess, details: ["file": .string(result.file), "bytes": .int(Int64(result.bytes))],
            at: WallClock.system.now())
        do {
            try await store.write(.installation, priority: .vital) { try $0.audit(entry) }
        } catch {
            try? store.close()
            throw error
        }
        try? store.close()
    }

    private var form: Backup.Form { compact ? .compact : .pages }
}

extension BackupResult {
    fileprivate var json: JSON {
        [
            "file": .string(file), "bytes": .int(Int64(bytes)), "removed": .array(removed.map { .string($0) }),
            "files": .int(Int64(files.files)), "copied_files": .int(Int64(files.copied)),
            "copied_file_bytes": .int(files.copiedBytes), "lost_files": .int(Int64(files.lost)),
        ]
    }

    fileprivate var text: String {
        let copied =
            files.files == 0
            ? [] : ["\(counted(files.files, "file")), \(files.copied) of them copied now: \(files.copiedBytes) bytes"]
        return (["\(file): \(bytes) bytes"] + copied + removed.map { "removed \($0)" }).joined(separator: "\n")
    }
}
