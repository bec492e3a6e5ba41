import Foundation
import GRDB
import SyncProtocol
import Synchronization

/// Decides when the WAL is moved into the database, and makes sure that no other process commits meanwhile. The server
/// holds a lock during each checkpoint, and a guest holds the same lock during each write.
struct Checkpoints: Sendable {
    /// The size of the WAL in bytes at which a checkpoint is due. As measured, checkpoints at 16 MB that wait for
    /// readers keep the WAL at that size, and stall writers for about 0.1 s. With overlapping readers, an automatic
    /// checkpoint would never reset the WAL. SQLite cuts a reset WAL to this size at the next commit.
    static let walLimit = 16 << 20
    /// A WAL up to this size is overwritten from its start, because syncing a commit then takes half as long as in a
    /// file that grows. A longer WAL is truncated.
    private static let reusableSize = walLimit / 4 * 5

    /// How long a checkpoint waits for readers, in milliseconds.
    private static let readerTimeout = 250

    private let walPath: String
    /// Nil if nothing is written.
    private let lock: FileLock?
    private let opener: SQLiteStore.Opener
    private let longReads = LongReads()
    /// The size of the WAL at which the next checkpoint is due.
    private let nextSize = SharedNumber(walLimit)
    /// The size of the WAL from which no long read may begin. Otherwise long
    /// reads could overlap without end, and the WAL would never be moved.
    static let longReadLimit = 256 << 20
    /// By how many bytes the WAL may grow during a long read, until that is cut. A client that takes a few bytes now
    /// and then would otherwise let it grow for all of the ten minutes that a stream may wait. A server that writes
    /// 1 MB a second needs two minutes for this. By then a client has long read a project.
    static let longReadGrowth = 128 << 20
    let longReadGrowth: Int

    init(names: DatabaseNames, opener: SQLiteStore.Opener, longReadGrowth: Int = longReadGrowth) throws {
        self.longReadGrowth = longReadGrowth
        walPath = names.path + "-wal"
        lock = try names.lock("-checkpoint")
        self.opener = opener
    }

    /// For a file that is only looked at.
    init(withoutLock path: String) {
        walPath = path + "-wal"
        longReadGrowth = .max
        lock = nil
        opener = .guest
    }

    /// Runs a write. A guest holds the lock meanwhile.
    func guarded<Value>(_ write: () throws -> Value) rethrows -> Value {
        guard let lock, !opener.holdsFile else { return try write() }
        return try lock.locked(write)
    }

    /// A lease for a read that may become a long one.
    func longRead() -> ReadLease { ReadLease(self, longReads) }

    /// Runs a checkpoint if the WAL has grown to its limit. A guest's write, a reader
    /// or a full disk postpone it until after a later commit. No error is reported,
    /// because the commit before it is already durable and must not look failed.
    /// Long reads during which the WAL has grown too much are cut.
    func runIfDue(_ db: Database) {
        guard let lock, opener.holdsFile, walSize > nextSize.value else { return }
        longReads.cut(at: walSize)
        guard longReads.isEmpty, lock.tryLock() else { return }
        defer { lock.unlock() }
        // A reader in another process, such as a backup, can take long. The commit that led here must not wait for it.
        try? db.execute(sql: "PRAGMA busy_timeout = \(Checkpoints.readerTimeout)")
        defer { try? db.execute(sql: "PRAGMA busy_timeout = \(SQLiteStore.busyTimeout * 1000)") }
        nextSize.value = Checkpoints.walLimit
        do {
            try db.checkpoint(walSize > Checkpoints.reusableSize ? .truncate : .restart)
        } catch DatabaseError.SQLITE_BUSY {
            // The following commits must not wait either.
            nextSize.value += walSize
        } catch {
            // The disk may be full. The next checkpoint may find space.
        }
    }

    /// Makes a checkpoint due at once, whatever the size of the WAL, if a write failed for lack of disk space. Later
    /// commits can then reuse the space inside the WAL.
    func makeRoom(after error: any Error) {
        if (error as? DatabaseError)?.resultCode == .SQLITE_FULL { nextSize.value = 0 }
    }

    /// The size of the WAL in bytes; 0 if there is none.
    var walSize: Int {
        var status = stat()
        return stat(walPath, &status) == 0 ? Int(status.st_size) : 0
    }
}

/// The long reads of a store, and up to which size of the log each may go on.
final class LongReads: Sendable {
    private struct Read {
        var limit: Int
        let cut: @Sendable () -> Void
    }

    private let reads = Mutex<[ObjectIdentifier: Read]>([:])

    var isEmpty: Bool { reads.withLock(\.isEmpty) }

    func begin(_ lease: ReadLease, upTo limit: Int, cut: @escaping @Sendable () -> Void) {
        reads.withLock { $0[ObjectIdentifier(lease)] = Read(limit: limit, cut: cut) }
    }

    /// Does nothing if the lease did not begin.
    func end(_ lease: ReadLease) { reads.withLock { $0[ObjectIdentifier(lease)] = nil } }

    /// Cuts the reads for which a log of this size is too long, each of them once. They end a little later.
    func cut(at size: Int) {
        let over = reads.withLock { reads in
            let over = reads.filter { $0.value.limit < size }
            for key in over.keys { reads[key]?.limit = .max }
            return over.values.map(\.cut)
        }
        for cut in over { cut() }
    }
}

/// A read that may turn out to be long. A checkpoint that truncates the WAL waits for all readers, and makes the writer
/// wait too. So no checkpoint runs during a long read, and the WAL grows until a commit after the last of them.
final class ReadLease: Sendable {
    private let checkpoints: Checkpoints
    private let all: LongReads

    init(_ checkpoints: Checkpoints, _ all: LongReads) {
        self.checkpoints = checkpoints
        self.all = all
    }

    /// Declares the read to be long from now on. Throws `busy` if the WAL is too long for another one. `cut` is called
    /// when the WAL has grown too much during this one; nil for a read that must not end early.
    func begin(cut: (@Sendable () -> Void)? = nil) throws {
        let size = checkpoints.walSize
        guard size < Checkpoints.longReadLimit else {
            throw Problem(.busy, "The database is waiting for earlier streams to end. Try again, or pull in pages.")
        }
        all.begin(self, upTo: cut == nil ? .max : size + checkpoints.longReadGrowth, cut: cut ?? {})
    }

    /// Called after the transaction has ended.
    func end() { all.end(self) }
}

/// A number that is shared by the copies of a struct.
final class SharedNumber: Sendable {
    private let storage: Mutex<Int>

    init(_ value: Int) { storage = Mutex(value) }

    var value: Int {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}
