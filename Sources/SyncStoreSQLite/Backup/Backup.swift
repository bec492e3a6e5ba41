import Foundation
import GRDB

/// A copy of a database in use, as one file without a log.
///
/// A connection of its own reads one committed state and keeps no writer waiting. The copy gets its name last, when it
/// is whole, checked and on disk, so that there is never half a backup under that name.
package struct Backup: Sendable {
    private let source: String
    private let target: String
    /// Who has the file open in this process.
    private let store: SQLiteStore?
    private let interruption: Interruption
    private let form: Form
    private var unfinished: String { target + Backup.unfinishedMark + "\(getpid())" }

    /// How the copy comes about.
    package enum Form: Sendable {
        /// Page by page, as fast as the disk.
        case pages
        /// Written anew without the space that is not used (`VACUUM INTO`), which takes several times as long.
        case compact
    }

    /// Between the name that a copy will have and the process that makes it.
    static let unfinishedMark = ".unfinished-"

    /// What SQLite adds to the name of a copy that is being made.
    static let companions = ["-journal", "-wal", "-shm"]

    /// A process that has the source open must say so: to look at the file beside its connections would end the locks
    /// that they hold,
    /// https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
    package init(
        of source: String, open store: SQLiteStore? = nil, to target: String, as form: Form = .pages,
        until interruption: Interruption = Interruption()
    ) {
        self.source = source
        self.store = store
        self.target = target
        self.form = form
        self.interruption = interruption
    }

    /// What a backup leaves free.
    private static let spareBytes = 16 << 20

    /// Makes the copy, marked as a backup; returns its size in bytes. Throws a `StoreError` where the target exists,
    /// and a `CancellationError` where it was interrupted; then everything is as it was.
    package func run() throws -> Int {
        if store == nil { try DatabaseFile(source).requireReadable() }
        try requireFolder()
        try refuseExistingTarget()
        try requireRoom()
        try makeUnfinished()
        defer { removeUnfinished() }
        do {
            try copy()
            try markAndCheck()
        } catch let error as DatabaseError {
            throw failure(error)
        }
        try publish()
        return try FileManager.default.attributesOfItem(atPath: target)[.size] as? Int ?? 0
    }

    private func copy() throws {
        let long = store?.checkpoints.longRead()
        try long?.begin()
        defer { long?.end() }
        try interruption.reading(PathRights(source).nameToRead) { queue in
            switch form {
            case .pages: try queue.read { try PageCopy.run(from: $0, to: unfinished, until: interruption) }
            case .compact:
                try queue.inDatabase { try $0.execute(sql: "VACUUM INTO ?1", arguments: [unfinished]) }
            }
        }
    }

    /// Nobody else may read the copy, before its first byte is written.
    private func makeUnfinished() throws {
        let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("Can't write \(unfinished)") }
        close(descriptor)
    }

    private func requireFolder() throws {
        var isFolder: ObjCBool = false
        let path = folder.isEmpty ? "." : folder
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            throw StoreError("There is no folder \(folder).", hint: "Make it, or give the backup another place.")
        }
    }

    private var folder: String {
        URL(filePath: target).deletingLastPathComponent().path(percentEncoded: false)
    }

    /// A copy that fills the disk would keep the server from writing, too.
    private func requireRoom() throws {
        let needed = [source, source + "-wal"].reduce(into: Backup.spareBytes) { sum, path in
            sum += (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
        }
        let free = try? FileManager.default.attributesOfFileSystem(forPath: folder)[.systemFreeSize] as? Int
        guard let free, free < needed else { return }
        throw StoreError(
            "There is too little room for the backup: \(free) bytes are free in \(folder), it may take \(needed).",
            hint: "Make room, or give the backup another place.")
    }

    /// In the copy alone. A rollback journal, so that nothing of it is left in a log. The commit that makes it one is
    /// on the disk before the check begins, and most of the copy with it.
    private func markAndCheck() throws {
        let queue = try DatabaseQueue(path: unfinished)
        defer { try? queue.close() }
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
            try RestoreJump.setMark(db)
        }
        let report = try DatabaseCheck(path: unfinished, until: interruption).run()
        guard report.isSound else {
            throw StoreError(
                "The copy is not sound, and was removed. \(report.text)", hint: "Run `tidemark check` on \(source).")
        }
    }

    /// `link` refuses a name that is taken, which `rename` would replace.
    private func publish() throws {
        try sync(unfinished, O_RDWR)
        if link(unfinished, target) != 0 {
            guard [EPERM, ENOTSUP, ENOSYS].contains(errno) else { throw failure("Can't name the backup \(target)") }
            // A file system without hard links.
            try refuseExistingTarget()
            guard rename(unfinished, target) == 0 else { throw failure("Can't name the backup \(target)") }
        }
        try sync(folder, O_RDONLY)
    }

    private func sync(_ path: String, _ mode: Int32) throws {
        let descriptor = open(path, mode | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("Can't open \(path)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("Can't write \(path) to the disk") }
    }

    private func refuseExistingTarget() throws {
        guard !FileManager.default.fileExists(atPath: target) else {
            throw StoreError("\(target) exists already.", hint: "Give the backup a name of its own.")
        }
    }

    private func removeUnfinished() {
        for path in [""] + Backup.companions { unlink(unfinished + path) }
    }

    private func failure(_ error: DatabaseError) -> StoreError {
        if error.resultCode == .SQLITE_FULL {
            return StoreError("There is too little room for the backup.", hint: "Make room, or give it another place.")
        }
        return StoreError(
            "The backup failed (SQLite's error \(error.extendedResultCode.rawValue)).",
            hint: error.saysDamage
                ? "Run `tidemark check` on \(source)."
                : "Check the rights of \(source) and of the folder of \(target).")
    }

    private func failure(_ what: String) -> StoreError {
        StoreError("\(what): \(String(cString: strerror(errno))).", hint: "Check the folder's rights and free space.")
    }
}
