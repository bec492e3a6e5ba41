import Foundation
import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncTestKit
import Synchronization
import Testing

@testable import SyncStoreSQLite

/// Backups that are named after the time.
@Suite struct BackupFolderTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore
    private let backups: BackupFolder

    init() async throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(
            path: folder.path("plans.db"), registry: Registry.builtIn(), opener: .server, mender: DraftMender())
        try FileManager.default.createDirectory(atPath: folder.path("b"), withIntermediateDirectories: false)
        backups = BackupFolder(folder.path("b"), of: folder.path("plans.db"))
    }

    private func time(_ text: String) throws -> Instant { try #require(Instant(text)) }
    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path("b")).sorted() }
    }
    private func put(_ names: String...) throws {
        for name in names { try Data("other".utf8).write(to: URL(filePath: folder.path("b/" + name))) }
    }

    @Test func aBackupBearsDatabaseAndTime() throws {
        let result = try backups.backUp(at: time("2026-06-01T03:15:00.999Z"), keep: nil)
        #expect(try names == ["plans-2026-06-01T031500Z.db", "plans.backups"])
        #expect(result.bytes > 0 && result.removed.isEmpty)
        #expect(try backups.newest(at: time("2026-06-01T03:15:00.999Z")) == time("2026-06-01T03:15:00Z"))
        #expect(try DatabaseCheck(path: result.file).run().isSound)
    }

    @Test func theNewestAreKeptAndWhatIsNoBackupOfThisDatabaseIsLeftAlone() throws {
        let others = ["hall-2026-01-01T000000Z.db", "plans-2026-02-30T000000Z.db", "plans-notes.db", "plans-2026Z.db"]
        try put(others[0], others[1], others[2], others[3])
        for day in 1...4 { _ = try backups.backUp(at: time("2026-06-0\(day)T03:00:00Z"), keep: 2) }
        #expect(
            try names
                == (others + ["plans-2026-06-03T030000Z.db", "plans-2026-06-04T030000Z.db", "plans.backups"]).sorted())
    }

    /// The clock was wrong, and was then set back.
    @Test func whatBearsATimeToComeGoesFirst() throws {
        try put("plans-2026-05-31T030000Z.db", "plans-2027-06-01T030000Z.db")
        let now = try time("2026-06-01T03:00:00Z")
        #expect(try backups.newest(at: now) == time("2026-05-31T03:00:00Z"))
        let result = try backups.backUp(at: now, keep: 2)
        #expect(result.removed.map { URL(filePath: $0).lastPathComponent } == ["plans-2027-06-01T030000Z.db"])
        #expect(try backups.newest(at: now) == now)
    }

    @Test func aFolderIsOneDatabasesOfAName() throws {
        _ = try backups.backUp(at: time("2026-06-01T03:00:00Z"), keep: 1)
        try FileManager.default.createDirectory(atPath: folder.path("my own"), withIntermediateDirectories: false)
        let path = folder.path("my own/plans.db")
        _ = try SQLiteStore(path: path, registry: Registry.builtIn(), opener: .guest, mender: DraftMender())
        let error = #expect(throws: StoreError.self) {
            try BackupFolder(folder.path("b"), of: path).backUp(at: time("2026-06-02T03:00:00Z"), keep: 1)
        }
        #expect(error?.reason.contains(folder.path("plans.db")) == true)
        #expect(error?.hint.contains(path) == true)
        #expect(try names == ["plans-2026-06-01T030000Z.db", "plans.backups"])
    }

    /// Somebody runs a server on the backup.
    @Test func aBackupThatIsServedStays() throws {
        let served = try backups.backUp(at: time("2026-06-01T03:00:00Z"), keep: 1).file
        let looker = try SQLiteStore(path: served, registry: Registry.builtIn(), opener: .server, mender: DraftMender())
        _ = try backups.backUp(at: time("2026-06-02T03:00:00Z"), keep: 1)
        #expect(FileManager.default.fileExists(atPath: served))
        try looker.close()
    }

    @Test func whatAKilledProcessLeftGoesAndWhatAnotherMakesStays() throws {
        let (left, other) = ("plans-2026-05-31T030000Z.db.unfinished-", "plans-2026-05-30T030000Z.db.unfinished-1")
        try put(left + "\(Int32.max)", left + "\(getpid())", other)
        _ = try backups.backUp(at: time("2026-06-01T03:00:00Z"), keep: 1)
        #expect(try names == [other, "plans-2026-06-01T030000Z.db", "plans.backups"])
    }

    #if os(Linux)
        /// Opening and closing the file beside SQLite would drop SQLite's locks, and others could delete the log.
        @Test func theServersLocksOutliveItsBackups() throws {
            // A lock of an open file description also conflicts with this process's own locks.
            let (asking, getLock) = (open(folder.path("plans.db"), O_RDWR), Int32(36 /* F_OFD_GETLK, not imported */))
            defer { close(asking) }
            func isLocked() -> Bool {
                var lock = flock()
                lock.l_type = Int16(F_WRLCK)
                // SQLite's bytes: https://sqlite.org/fileformat2.html#the_lock_byte_page
                lock.l_start = 0x4000_0000
                lock.l_len = 512
                return fcntl(asking, getLock, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
            }
            #expect(isLocked())
            let served = BackupFolder(folder.path("b"), of: folder.path("plans.db"), open: store)
            _ = try served.backUp(at: time("2026-06-01T03:00:00Z"), keep: 1)
            #expect(isLocked())
            _ = try backups.backUp(at: time("2026-06-02T03:00:00Z"), keep: 1)
            #expect(!isLocked(), "the test sees what it is for")
        }
    #endif

    @Test func aBackupThatFailsRemovesNothing() throws {
        try put("plans-2026-05-30T030000Z.db", "plans-2026-05-31T030000Z.db")
        #expect(throws: StoreError.self) { try backups.backUp(at: time("2026-05-31T03:00:00Z"), keep: 1) }
        #expect(try names.count == 3)
    }

    @Test func anInterruptedBackupLeavesNothing() throws {
        let interruption = Interruption()
        interruption.call()
        #expect(throws: CancellationError.self) {
            try backups.backUp(at: time("2026-06-01T03:00:00Z"), keep: 1, until: interruption)
        }
        #expect(try names == ["plans.backups"])
    }

    /// Work under way ends, and does not count as damage.
    @Test func anInterruptionEndsWorkThatIsUnderWay() throws {
        let interruption = Interruption()
        let isOver = Mutex(false)
        // An interruption before the statement runs would have no effect.
        let thread = Thread { while !isOver.withLock({ $0 }) { interruption.call() } }
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
        #expect(throws: CancellationError.self) {
            try interruption.reading(folder.path("plans.db")) { queue in
                try queue.inDatabase { db in
                    thread.start()
                    try db.execute(sql: endless)
                }
            }
        }
        isOver.withLock { $0 = true }
    }
}
