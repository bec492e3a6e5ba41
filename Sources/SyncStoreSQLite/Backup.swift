import Foundation
import GRDB
package import SyncStore
import SyncStoreSQL

/// A copy of a database in use, as one file without a log.
///
/// A connection of its own reads one committed state and makes no writer wait. The copy gets its name last, when it is
/// complete, checked and on the disk. So there is never an incomplete backup under that name.
package struct Backup: Sendable {
    private let source: String
    private let target: String
    /// The store that has the file open in this process; nil if none has.
    private let store: SQLiteStore?
    private let interruption: Interruption
    private let form: Form
    /// Copies the files that the database names; nil to leave them out.
    private let files: (any FileBackup)?
    private let acceptsOlder: Bool
    private var file: UnfinishedFile { UnfinishedFile(of: target, as: "backup") }
    private var unfinished: String { file.path }

    /// How the copy is made.
    package enum Form: Sendable {
        /// Page by page, as fast as the disk.
        case pages
        /// Rebuilt without unused space (`VACUUM INTO`), which takes several times as long.
        case compact
    }

    /// A process that has the source open must pass its store. Opening and closing the file by other means would
    /// release the locks that the store's connections hold:
    /// https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
    package init(
        of source: String, open store: SQLiteStore? = nil, to target: String, as form: Form = .pages,
        files: (any FileBackup)? = nil, acceptsOlder: Bool = false, until interruption: Interruption = Interruption()
    ) {
        self.source = DatabaseNames(source).path
        self.store = store
        self.target = target
        self.form = form
        self.files = files
        self.acceptsOlder = acceptsOlder
        self.interruption = interruption
    }

    /// The space that a backup leaves free on the disk.
    private static let spareBytes = 16 << 20

    /// Makes the copy and marks it as a backup. Then copies the files that it names: one that a sweep removes meanwhile
    /// is not named. A file that is missing does not stop a backup.
    ///
    /// Throws a `StoreError` if the target exists, and a `CancellationError` if it was interrupted. After an error
    /// there is no backup; copies of files may be there.
    package func run() throws -> BackupResult {
        if store == nil { try DatabaseFile(source).requireReadable() }
        try file.requireFree()
        try requireRoom()
        try file.make()
        defer { file.remove() }
        let copies: FileCopies
        let isChecked: Bool
        do {
            try copy()
            isChecked = try markAndCheck()
            copies = try copyFiles()
        } catch let error as DatabaseError {
            throw failure(error)
        }
        try file.publish()
        let bytes = try FileManager.default.attributesOfItem(atPath: target)[.size] as? Int ?? 0
        return BackupResult(file: target, bytes: bytes, files: copies, isChecked: isChecked)
    }

    private func copyFiles() throws -> FileCopies {
        guard let files else { return FileCopies() }
        var copies = FileCopies()
        try NamedFiles(of: unfinished).visit { file in
            try interruption.requireNone()
            copies.add(file, try files.copy(file))
        }
        try files.finish()
        return copies
    }

    private func copy() throws {
        let long = store?.checkpoints.longRead()
        try long?.begin()
        defer { long?.end() }
        try interruption.reading(DatabaseFile(source).nameToRead) { queue in
            switch form {
            case .pages: try queue.read { try PageCopy.run(from: $0, to: unfinished, until: interruption) }
            case .compact:
                try queue.inDatabase { try $0.execute(sql: "VACUUM INTO ?1", arguments: [unfinished]) }
            }
        }
    }

    private var folder: String {
        URL(filePath: target).deletingLastPathComponent().path(percentEncoded: false)
    }

    /// A copy that fills the disk would also stop the server from writing.
    private func requireRoom() throws {
        let needed = [source, source + "-wal"].reduce(into: Backup.spareBytes) { sum, path in
            sum += (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        }
        let free = try? FileManager.default.attributesOfFileSystem(forPath: folder)[.systemFreeSize] as? Int
        guard let free, free < needed else { return }
        throw StoreError(
            "There is not enough space for the backup: \(free) bytes are free in \(folder), and it may need \(needed).",
            hint: "Free some space, or choose another path for the backup.")
    }

    /// Changes only the copy. It uses a rollback journal, so nothing of the copy is left in a log. The commit that
    /// marks the copy as a backup is on the disk before the check begins, and with it most of the copy. Returns whether
    /// it was checked: what an older version made can't be, before a server has brought it up to date.
    private func markAndCheck() throws -> Bool {
        let queue = try DatabaseQueue(path: unfinished)
        defer { try? queue.close() }
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
            try RestoreJump.setMark(db)
        }
        let layout = LayoutVersion.number(try DatabaseFile(unfinished).setting("layout"))
        if acceptsOlder, layout < LayoutVersion.current { return false }
        let report = try DatabaseCheck(path: unfinished, until: interruption).run()
        guard report.isSound else {
            throw StoreError(
                "The copy is not sound and was removed. \(report.text)", hint: "Run `tidemark check` on \(source).")
        }
        return true
    }

    private func failure(_ error: DatabaseError) -> StoreError {
        if error.resultCode == .SQLITE_FULL {
            return StoreError(
                "There is not enough space for the backup.",
                hint: "Free some space, or choose another path for the backup.")
        }
        return StoreError(
            "The backup failed (SQLite error \(error.extendedResultCode.rawValue)).",
            hint: error.saysDamage
                ? "Run `tidemark check` on \(source)."
                : "Check the rights of \(source) and of the folder of \(target).")
    }
}

/// Copies a database page by page with SQLite's backup API: https://sqlite.org/backup.html
///
/// The whole copy is made in one read transaction of the source. So it is one committed state, and no commit makes it
/// start again. Unused pages are copied too.
struct PageCopy {
    /// The number of pages between two checks for an interruption: 16 MiB with pages of the usual size.
    private static let pagesAStep: CInt = 4096

    /// Fills the empty file at `path`. Does not sync it to the disk.
    static func run(from source: Database, to path: String, until interruption: Interruption) throws {
        let target = try openTarget(path)
        defer { try? target.close() }
        // A transaction has no state before its first read.
        try source.execute(sql: "SELECT count(*) FROM sqlite_master")
        try target.inDatabase { copy in
            try source.backup(to: copy, pagesPerStep: pagesAStep) { progress in
                if !progress.isCompleted { try interruption.requireNone() }
            }
        }
    }

    /// Without a journal and without syncing. An unfinished copy is
    /// never used, and a finished one is synced before it gets its name.
    private static func openTarget(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF") }
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}

/// A database file that is being made. It gets its name last, when it is complete and on the disk. So there is never an
/// incomplete file under that name.
struct UnfinishedFile {
    /// Stands between the final name and the id of the process that makes the file.
    static let mark = ".unfinished-"

    /// The endings of the files that SQLite makes beside a database.
    static let companions = ["-journal", "-wal", "-shm"]

    private let target: String
    /// What errors call the file, such as `backup`.
    private let kind: String
    /// Where the file is until it is published.
    var path: String { target + UnfinishedFile.mark + "\(getpid())" }

    init(of target: String, as kind: String) { (self.target, self.kind) = (target, kind) }

    /// Throws a `StoreError` if there is no folder for the file, or if its name is taken.
    func requireFree() throws {
        var isFolder: ObjCBool = false
        let path = folder.isEmpty ? "." : folder
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            throw StoreError("There is no folder \(folder).", hint: "Make it, or choose another path for the \(kind).")
        }
        try refuseExisting()
    }

    private var folder: String {
        URL(filePath: target).deletingLastPathComponent().path(percentEncoded: false)
    }

    private func refuseExisting() throws {
        guard !FileManager.default.fileExists(atPath: target) else {
            throw StoreError("\(target) already exists.", hint: "Choose another name for the \(kind).")
        }
    }

    /// Makes the file readable only for its owner, before its first byte is written.
    func make() throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("Can't write \(path)") }
        close(descriptor)
    }

    /// Gives the file its name. `link` refuses a name that exists; `rename` would replace the file.
    func publish() throws {
        try sync(path, O_RDWR)
        if link(path, target) != 0 {
            guard [EPERM, ENOTSUP, ENOSYS].contains(errno) else { throw failure("Can't name the \(kind) \(target)") }
            // The file system has no hard links.
            try refuseExisting()
            guard rename(path, target) == 0 else { throw failure("Can't name the \(kind) \(target)") }
        }
        try sync(folder, O_RDONLY)
    }

    func remove() {
        for ending in [""] + UnfinishedFile.companions { unlink(path + ending) }
    }

    private func sync(_ path: String, _ mode: Int32) throws {
        let descriptor = open(path, mode | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("Can't open \(path)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("Can't write \(path) to the disk") }
    }

    private func failure(_ what: String) -> StoreError {
        StoreError("\(what): \(String(cString: strerror(errno))).", hint: "Check the folder's rights and free space.")
    }
}
