import Foundation
import GRDB
import SyncStore
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
        until interruption: Interruption = Interruption()
    ) {
        self.source = DatabaseNames(source).path
        self.store = store
        self.target = target
        self.form = form
        self.interruption = interruption
    }

    /// The space that a backup leaves free on the disk.
    private static let spareBytes = 16 << 20

    /// Makes the copy, marks it as a backup and returns its size in bytes. Throws a `StoreError` if the target exists,
    /// and a `CancellationError` if it was interrupted. After an error everything is as it was before.
    package func run() throws -> Int {
        if store == nil { try DatabaseFile(source).requireReadable() }
        try file.requireFree()
        try requireRoom()
        try file.make()
        defer { file.remove() }
        do {
            try copy()
            try markAndCheck()
        } catch let error as DatabaseError {
            throw failure(error)
        }
        try file.publish()
        return try FileManager.default.attributesOfItem(atPath: target)[.size] as? Int ?? 0
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
    /// marks the copy as a backup is on the disk before the check begins, and with it most of the copy.
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
                "The copy is not sound and was removed. \(report.text)", hint: "Run `tidemark check` on \(source).")
        }
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
