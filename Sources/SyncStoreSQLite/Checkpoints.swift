import Foundation
import GRDB
import Synchronization

/// When the WAL is moved into the database, and that no other process commits meanwhile: one lock is held by the server
/// for each checkpoint and by a guest for each write.
struct Checkpoints: Sendable {
    /// Measured: truncating at 16 MB keeps the WAL there at a stall of about 0.1 s, where overlapping readers would let
    /// an automatic checkpoint never reset it.
    private static let walLimit = 16 << 20

    private let walPath: String
    private let lock: FileLock
    private let opener: SQLiteStore.Opener
    private let longReads = LongReads()

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

    /// Runs a read that may last. A checkpoint that truncates waits for all readers, and the writer with it, so there is
    /// none meanwhile: the WAL grows until a commit behind the last such read.
    func putOff<Value>(_ read: () async throws -> Value) async rethrows -> Value {
        longReads.count.withLock { $0 += 1 }
        defer { longReads.count.withLock { $0 -= 1 } }
        return try await read()
    }

    /// Checkpoints where the WAL has grown. A guest's write, a reader in the way or a full disk put it off to a later
    /// commit: the one before is durable already, so nothing here may make it look like a failure.
    func runIfDue(_ db: Database) {
        guard opener == .server, walSize > Checkpoints.walLimit, longReads.count.withLock({ $0 == 0 }), lock.tryLock()
        else { return }
        defer { lock.unlock() }
        _ = try? db.checkpoint(.truncate)
    }

    private var walSize: Int {
        var status = stat()
        return stat(walPath, &status) == 0 ? Int(status.st_size) : 0
    }
}

/// How many reads that may last are under way.
private final class LongReads: Sendable {
    let count = Mutex(0)
}
