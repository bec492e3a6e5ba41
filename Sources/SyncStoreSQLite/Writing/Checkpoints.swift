import Foundation
import GRDB

/// When the WAL is moved into the database, and that no other process commits meanwhile: one lock is held by the server
/// for each checkpoint and by a guest for each write.
struct Checkpoints: Sendable {
    /// Measured: checkpoints at 16 MB that wait for readers keep the WAL there at a stall of about 0.1 s, where overlapping
    /// readers would let an automatic one never reset it. SQLite cuts a reset WAL to so much at the next commit.
    static let walLimit = 16 << 20
    /// A WAL that is no longer than this is written over from its start: to sync a commit takes half the time then that it
    /// takes in a file that grows. A longer one is truncated.
    private static let reusableSize = walLimit / 4 * 5

    /// How long a checkpoint waits for readers, in milliseconds.
    private static let patience = 250

    private let walPath: String
    private let lock: FileLock
    private let opener: SQLiteStore.Opener
    private let longReads = SharedNumber(0)
    /// How long the WAL has to be for the next checkpoint.
    private let nextSize = SharedNumber(walLimit)
    /// Where the WAL is that long, no read begins to last: they could overlap for ever, and the WAL would never be moved.
    static let longReadLimit = 256 << 20

    init(path: String, opener: SQLiteStore.Opener) throws {
        walPath = path + "-wal"
        lock = try FileLock(path: path + "-checkpoint")
        self.opener = opener
    }

    /// Runs a write: a guest's under the lock.
    func guarded<Value>(_ write: () throws -> Value) rethrows -> Value {
        switch opener {
        case .server: try write()
        case .guest: try lock.locked(write)
        }
    }

    func longRead() -> ReadLease { ReadLease(self, longReads) }

    /// Checkpoints where the WAL has grown. A guest's write, a reader in the way or a full disk put it off to a later
    /// commit: the one before is durable already, so nothing here may make it look like a failure.
    func runIfDue(_ db: Database) {
        guard opener == .server, walSize > nextSize.value, longReads.value == 0, lock.tryLock()
        else { return }
        defer { lock.unlock() }
        // Another process's reader, as a backup's, can last: the commit that brought us here must not wait for its end.
        try? db.execute(sql: "PRAGMA busy_timeout = \(Checkpoints.patience)")
        defer { try? db.execute(sql: "PRAGMA busy_timeout = \(SQLiteStore.busyTimeout * 1000)") }
        nextSize.value = Checkpoints.walLimit
        do {
            try db.checkpoint(walSize > Checkpoints.reusableSize ? .truncate : .restart)
        } catch DatabaseError.SQLITE_BUSY {
            // Nor must each of those that follow.
            nextSize.value += walSize
        } catch {
            // On a full disk there may be room for the next.
        }
    }

    /// Has the WAL moved behind this write, however short it is, where the write failed for want of room: commits find some
    /// in the WAL then that needs none of the disk's.
    func makeRoom(after error: any Error) {
        let code = (error as? DatabaseError)?.extendedResultCode
        // The second is a quota, or a limit for the size of files.
        if code == .SQLITE_FULL || code == .SQLITE_IOERR_WRITE { nextSize.value = 0 }
    }

    var walSize: Int {
        var status = stat()
        return stat(walPath, &status) == 0 ? Int(status.st_size) : 0
    }
}
