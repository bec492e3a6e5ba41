import ArgumentParser
import Foundation
import SyncFiles
import SyncServer
import SyncStore
import SyncStoreSQLite
import SyncStores

/// `--store`: where the files of a database are.
struct StoreOption: ParsableArguments {
    static let variable = "TIDEMARK_FILES_STORE"

    @Option(
        name: .customLong("store"),
        help: ArgumentHelp(
            "Where the files are that rows name: a folder, or s3://BUCKET/PREFIX. (default: the variable "
                + "TIDEMARK_FILES_STORE, or a folder beside the database)", valueName: "place"))
    var folder: String?

    /// As the server's settings have it, for commands that open the database.
    var settings: FileSettings {
        var settings = FileSettings()
        settings.store = named ?? ""
        // The operator names it for this command, whoever else has it.
        settings.isShared = true
        return settings
    }

    /// Where the files of a database or of a backup are, whether or not the place is there. Nil for a server's that is
    /// not named. Throws a `CommandError` for a bucket that can't be reached so.
    func place(of database: String) throws -> FilesPlace? {
        if let folder { return try FilesPlace(folder) }
        let named = try self.named.map(FilesPlace.init)
        guard !EngineStore.isServer(database) else { return named }
        // The files of a backup are in the bucket of its database.
        if case .bucket = named { return named }
        let backup = FilesFolder.path(ofBackup: database).map(FilesPlace.folder)
        return backup ?? named ?? .folder(FilesFolder.path(besides: database))
    }

    /// What looks at the files of a database, and what to say if nothing does.
    func inspector(of database: String, readsBytes: Bool) throws -> (inspector: (any FileInspector)?, note: String?) {
        guard let place = try place(of: database) else {
            return (nil, "Files that rows name were not looked at. Name the servers' store with --store.")
        }
        if folder == nil, case .folder = place, FilesFolder.isLeftOut(ofBackup: database) {
            return (nil, "The backup has no files with it. If they are elsewhere, name their folder with --store.")
        }
        return (place.inspector(readsBytes: readsBytes), nil)
    }

    /// Where a server on a restored database looks for files.
    func target(of database: String) throws -> FilesPlace {
        try named.map(FilesPlace.init) ?? .folder(FilesFolder.path(besides: database))
    }

    private var named: String? { folder ?? Variables.value(of: Self.variable, in: ProcessInfo.processInfo.environment) }
}

enum FilesFolder {
    /// The folder beside a database file, whatever link leads there.
    static func path(besides database: String) -> String {
        URL(filePath: database).resolvingSymlinksInPath().path(percentEncoded: false) + "-files"
    }

    /// The folder of a backup that waits for its restore: beside it, or the one that all backups in a folder have. Nil
    /// for any other database.
    static func path(ofBackup database: String) -> String? {
        guard FileManager.default.fileExists(atPath: database), !isInUse(database) else { return nil }
        let beside = path(besides: database)
        let shared = BackupFolder.files(ofBackup: database)
        return FileManager.default.fileExists(atPath: beside) ? beside : shared ?? beside
    }

    /// Whether it is a backup that was made without files, by an older version or on request.
    static func isLeftOut(ofBackup database: String) -> Bool {
        path(ofBackup: database).map { !FileManager.default.fileExists(atPath: $0) } ?? false
    }

    private static func isInUse(_ database: String) -> Bool { (try? SQLiteStore.refuseWaiting(database)) != nil }
}

extension FileCopies {
    /// What an operator has to know; nil if all files were copied.
    func loss(from source: String) -> String? {
        guard lost > 0 else { return nil }
        return "\(lost) of \(lost + files) files that rows name could not be copied: they are missing in \(source), or "
            + "damaged. To list them, run `tidemark check --bytes`."
    }
}
