import Dispatch
import Foundation
import Logging
import SyncFiles
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQLite
import SyncStores

extension BackupTimer.Place {
    /// Nil if no folder is set. Throws a `CommandError` if it is not a folder.
    init?(_ settings: BackupSettings, database: String, files: FilesPlace?, open store: EngineStore) throws {
        guard !settings.folder.isEmpty else { return nil }
        try settings.check(database)
        let store = try store.requireFile(BackupSettings.variable, instead: BackupSettings.remedy)
        let folder = BackupFolder(settings.folder, of: database, open: store)
        self.init(
            newest: folder.newest,
            backUp: { now in
                let result = try await folder.backUpAside(at: now, keep: settings.keep, files: files)
                if let files, let loss = result.files.loss(from: files.name) { Terminal.message(loss) }
                return result.file
            },
            files: {
                try folder.backups().map { BackupFile(name: $0.name, at: $0.at, bytes: Int64($0.bytes)) }
            })
    }

    /// The path of a backup.
    static func file(_ name: String, in folder: String, of database: String) -> String {
        BackupFolder(folder, of: database).file(named: name)
    }
}

extension BackupSettings {
    fileprivate static let variable = "TIDEMARK_BACKUP_FOLDER"
    fileprivate static let remedy = "Unset it, and back up the PostgreSQL cluster with its own tools."

    /// Throws a `CommandError` if the server can't put backups of the database into the folder.
    func check(_ database: String) throws {
        guard !folder.isEmpty else { return }
        guard !EngineStore.isServer(database) else {
            throw CommandError("\(Self.variable) is for database files. \(Self.remedy)")
        }
        guard BackupFolder(folder, of: database).exists else {
            throw CommandError("\(Self.variable) is not a folder: \(folder). Create it, or unset the variable.")
        }
        if let reason = BackupFolder(folder, of: database).whyNotWritable() {
            throw CommandError(
                "Backups can't be written to \(folder) (\(Self.variable)): \(reason). Give the server's user the right "
                    + "to write there. A unit of systemd also needs ReadWritePaths=\(folder).")
        }
    }
}

extension BackupFolder {
    /// Like `backUp`, but off Swift's own threads, which must not block. It is interrupted if the task is cancelled.
    fileprivate func backUpAside(at now: Instant, keep: Int, files: FilesPlace?) async throws -> BackupResult {
        let interruption = Interruption()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global(qos: .utility).async {
                    continuation.resume(
                        with: Result {
                            try backUp(at: now, keep: keep, copying: files?.copying, until: interruption)
                        })
                }
            }
        } onCancel: {
            interruption.call()
        }
    }
}

extension Maintenance {
    /// What the settings make of backups, and checks of the database and of its backups. Throws what
    /// `BackupTimer.Place.init` throws.
    ///
    /// `files` is where the files are; nil if the server keeps none.
    init(_ settings: BackupSettings, database: String, files: FilesPlace?, open store: EngineStore) throws {
        self.init()
        if let place = try BackupTimer.Place(settings, database: database, files: files, open: store) {
            let plan = Backups.Plan(every: settings.interval, folder: settings.folder, kept: settings.keep)
            backups = Backups(place, plan: plan)
        }
        let home = URL(filePath: database).deletingLastPathComponent().path(percentEncoded: false)
        if store.isFile { folders.append(WatchedFolder("database", path: home) { store.metrics.freeBytes }) }
        if case .folder(let path) = files {
            folders.append(WatchedFolder("files", path: path) { free(path, or: home) })
        }
        if backups != nil { folders.append(WatchedFolder("backups", path: settings.folder)) }
        if !store.isFile { withoutBackups = "Back up the PostgreSQL cluster with its own tools." }
        let folder = settings.folder
        checks = Checks { backup, onProgress in
            guard let backup else {
                return try await EngineStore.checkAside(
                    database, open: store, files: files?.inspector(), onProgress: onProgress)
            }
            let path = BackupTimer.Place.file(backup, in: folder, of: database)
            let copies = FilesFolder.isLeftOut(ofBackup: path) ? nil : FilesFolder.path(ofBackup: path)
            return try await EngineStore.checkAside(
                path, open: nil, files: copies.map { FolderInspector($0) }, onProgress: onProgress)
        }
    }
}

/// The free bytes at a path that may not exist yet; then those of the folder in which it will be made.
private func free(_ path: String, or home: String) -> Int64? {
    StoreMetrics.freeBytes(at: path) ?? StoreMetrics.freeBytes(at: home)
}
