import Foundation
import GRDB

/// A copy of a database in use, as one file without a log.
///
/// `VACUUM INTO` on a connection of its own reads one committed state and keeps no writer waiting. The copy gets its name
/// last, when it is whole, checked and on disk, so that there is never half a backup under that name.
package struct Backup: Sendable {
    private let source: String
    private let target: String
    private let interruption: Interruption
    private var unfinished: String { target + ".unfinished-\(getpid())" }

    package init(of source: String, to target: String, until interruption: Interruption = Interruption()) {
        self.source = source
        self.target = target
        self.interruption = interruption
    }

    /// Makes the copy, marked as a backup; returns its size in bytes. Throws a `StoreError` where the target exists, and a
    /// `CancellationError` where it was interrupted; then everything is as it was.
    package func run() throws -> Int {
        guard FileManager.default.fileExists(atPath: source) else {
            throw StoreError("There is no database \(source).", hint: "Check the path.")
        }
        try refuseExistingTarget()
        try ForeignLog.refuse(beside: source)
        defer { removeUnfinished() }
        do {
            try copy()
            try markAndCheck()
        } catch let error as DatabaseError {
            throw StoreError(
                "The backup failed: \(error.message ?? "error \(error.resultCode.rawValue)").",
                hint:
                    "Check that \(source) is a Tidemark database, and the free space and rights of the target's folder."
            )
        }
        try publish()
        return try FileManager.default.attributesOfItem(atPath: target)[.size] as? Int ?? 0
    }

    private func copy() throws {
        try interruption.reading(source) { queue in
            // Nobody else may read the copy, before its first byte is written.
            let descriptor = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw failure("Can't write \(unfinished)") }
            close(descriptor)
            try queue.inDatabase { try $0.execute(sql: "VACUUM INTO ?1", arguments: [unfinished]) }
        }
    }

    /// In the copy alone. A rollback journal, so that nothing of it is left in a log.
    private func markAndCheck() throws {
        let queue = try DatabaseQueue(path: unfinished)
        defer { try? queue.close() }
        try queue.inDatabase { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
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
        try sync(URL(filePath: target).deletingLastPathComponent().path(percentEncoded: false), O_RDONLY)
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
        for path in [unfinished, unfinished + "-journal"] { unlink(path) }
    }

    private func failure(_ what: String) -> StoreError {
        StoreError("\(what): \(String(cString: strerror(errno))).", hint: "Check the folder's rights and free space.")
    }
}
