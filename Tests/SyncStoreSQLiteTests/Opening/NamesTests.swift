import Foundation
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncTestKit
import Testing

@testable import SyncStoreSQLite

/// One file under several names is one database, with one server.
@Suite struct NamesTests {
    private let folder: TemporaryFolder
    private let registry: Registry
    private var path: String { folder.path("t.db") }
    private var link: String { folder.path("links/l.db") }

    init() throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
        try FileManager.default.createDirectory(atPath: folder.path("links"), withIntermediateDirectories: false)
    }

    private func open(_ path: String, _ opener: SQLiteStore.Opener = .server) throws -> SQLiteStore {
        try SQLiteStore(path: path, registry: registry, opener: opener, mender: DraftMender())
    }

    private func expectRefusal(_ words: String, _ body: () throws -> Void) {
        let error = #expect(throws: StoreError.self) { try body() }
        #expect(error?.description.contains(words) == true, "\(error.map { "\($0)" } ?? "")")
        #expect(error?.hint.isEmpty == false)
    }

    /// Everything that reads or writes, but for a server.
    private func expectCommandsRefused(_ path: String, _ words: String) {
        expectRefusal(words) { _ = try open(path, .guest) }
        expectRefusal(words) { _ = try DatabaseCheck(path: path).run() }
        expectRefusal(words) { _ = try Backup(of: path, to: folder.path("b.db")).run() }
    }

    // MARK: Symbolic links

    /// The ways in which a link leads to `t.db`.
    private func makeLinks(_ target: String) throws {
        let files = FileManager.default
        try files.createSymbolicLink(atPath: folder.path("links/first"), withDestinationPath: target)
        try files.createSymbolicLink(atPath: link, withDestinationPath: "first")
    }

    @Test(arguments: [true, false]) func aSecondServerThroughALinkIsRefused(isRelative: Bool) throws {
        try makeLinks(isRelative ? "../t.db" : path)
        let server = try open(path)
        expectRefusal("Another server") { _ = try open(link) }
        try server.close()
        let other = try open(link)
        expectRefusal("Another server") { _ = try open(path) }
        try other.close()
    }

    @Test func aFileThatIsMadeThroughALinkHasItsLogAndLocksBesideItself() throws {
        try makeLinks("../t.db")
        let store = try open(link)
        let names = try Set(FileManager.default.contentsOfDirectory(atPath: folder.url.path))
        #expect(names.isSuperset(of: ["t.db", "t.db-wal", "t.db-lock", "t.db-checkpoint"]))
        #expect(store.isNew)
        try store.close()
        #expect(try !open(path).isNew)
    }

    /// No commit of one happens while the other moves the log.
    @Test func commandsThroughALinkAndTheServerMeetAtOneLock() async throws {
        try makeLinks("../t.db")
        let server = try open(path)
        let checkpoint = try DatabaseNames(path).lock("-checkpoint")
        #expect(checkpoint.tryLock())
        #expect(try !DatabaseNames(link).lock("-checkpoint").tryLock())
        checkpoint.unlock()
        let guest = try open(link, .guest)
        try await guest.write { try $0.setSecret("x", "y") }
        #expect(try await server.read { try $0.secret("x") } == "y")
        #expect(try DatabaseCheck(path: link).run().isSound)
        _ = try Backup(of: link, to: folder.path("b.db")).run()
        let backup = try #require(try SQLiteStore(waitingForRestore: folder.path("b.db")))
        #expect(try await backup.read { try $0.secret("x") } == "y")
    }

    /// A server or a command of the version before locks files beside the link that it was given.
    @Test func whoeverLocksFilesBesideTheLinkIsHeardToo() throws {
        try makeLinks("../t.db")
        try open(path).close()
        let older = try FileLock(path: link + "-lock")
        #expect(older.tryLock())
        expectRefusal("Another server") { _ = try open(link) }
        older.unlock()
        // Whoever got no second lock keeps no first one.
        try open(path).close()
        let command = try FileLock(path: folder.path("links/first-checkpoint"))
        #expect(command.tryLock())
        #expect(try !DatabaseNames(link).lock("-checkpoint").tryLock())
        command.unlock()
        #expect(try DatabaseNames(link).lock("-checkpoint").tryLock())
    }

    // MARK: Hard links

    @Test func aFileWithAHardLinkIsRefusedUnderEachName() throws {
        try open(path).close()
        let other = folder.path("links/h.db")
        try FileManager.default.linkItem(atPath: path, toPath: other)
        for name in [path, other] {
            expectRefusal("2 names") { _ = try open(name) }
            expectCommandsRefused(name, "2 names")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("links")) == ["h.db"])
        unlink(other)
        try open(path).close()
    }

    /// Programs that keep backups link files that did not change. Nobody has a log of such a file.
    @Test func aBackupWithAHardLinkCanBeLookedAtButNotRestored() throws {
        try open(path).close()
        _ = try Backup(of: path, to: folder.path("b.db")).run()
        try FileManager.default.linkItem(atPath: folder.path("b.db"), toPath: folder.path("links/b.db"))
        #expect(try DatabaseCheck(path: folder.path("b.db")).run().isSound)
        _ = try Backup(of: folder.path("b.db"), to: folder.path("c.db")).run()
        try SQLiteStore(waitingForRestore: folder.path("b.db"))?.close()
        expectRefusal("2 names") { _ = try open(folder.path("b.db")) }
        expectRefusal("2 names") { _ = try open(folder.path("b.db"), .restorer) }
    }

    // MARK: Names that no link tells of

    /// A mount gives the file a second name at the same time. Here the file is renamed, which needs no rights.
    @Test(arguments: [SQLiteStore.Opener.server, .guest]) func aFileThatIsOpenUnderAnotherNameIsRefused(
        opener: SQLiteStore.Opener
    ) throws {
        let first = try open(path, opener)
        for other in [folder.path("u.db"), folder.path("links/t.db")] {
            try FileManager.default.moveItem(atPath: path, toPath: other)
            expectRefusal("under another name") { _ = try open(other) }
            expectCommandsRefused(other, "under another name")
            try FileManager.default.moveItem(atPath: other, toPath: path)
        }
        try open(path, .guest).close()
        try first.close()
        try FileManager.default.moveItem(atPath: path, toPath: link)
        try open(link).close()
    }

    @Test func aServerIsKnownWithoutItsLockFile() throws {
        let server = try open(path)
        unlink(path + "-lock")
        expectRefusal("Another server") { _ = try open(path) }
        unlink(path + "-lock")
        try open(path, .guest).close()
        expectRefusal("Another server") { _ = try open(path) }
        try server.close()
        try open(path).close()
    }

    @Test func aStoreThatIsDroppedWithoutClosingLetsGo() throws {
        do { _ = try open(path) }
        try FileManager.default.moveItem(atPath: path, toPath: folder.path("u.db"))
        for suffix in ["-wal", "-shm"] {
            try? FileManager.default.moveItem(atPath: path + suffix, toPath: folder.path("u.db") + suffix)
        }
        try open(folder.path("u.db")).close()
    }

    /// SQLite's locks end with any descriptor of the file that this process closes.
    @Test func aStoreThatEndsTakesNoLocksFromAnother() throws {
        let server = try open(path)
        let watcher = Foundation.open(path, O_RDWR | O_CLOEXEC)  // Closed with the process, for the same reason.
        #expect(isLocked(watcher))
        do { _ = try NameLock(path, holdsFile: false) }
        try NameLock.refuseOtherNames(path)
        #expect(isLocked(watcher))
        try server.close()
        #expect(!isLocked(watcher))
    }

    /// Whether SQLite has a lock in the file: https://sqlite.org/fileformat2.html#the_lock_byte_page
    private func isLocked(_ descriptor: Int32) -> Bool {
        var lock = flock(
            l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: 0x4000_0000, l_len: 512, l_pid: 0)
        return fcntl(descriptor, 36, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
    }
}
