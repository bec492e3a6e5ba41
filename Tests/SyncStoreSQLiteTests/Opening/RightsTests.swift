import Foundation
import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncTestKit
import Testing

@testable import SyncStoreSQLite

/// Missing rights and wrong paths are not damage.
@Suite(.enabled(if: Nobody.isPossible)) struct RightsTests {
    private let folder: TemporaryFolder
    private let registry: Registry
    private var path: String { folder.path("t.db") }

    init() throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
        try SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()).close()
        for suffix in ["-lock", "-checkpoint"] { unlink(folder.path("t.db" + suffix)) }
        chmod(folder.url.path(), 0o755)
        chmod(folder.path("t.db"), 0o644)
    }

    /// What `tidemark check`, `backup`, `serve` and all other commands do first.
    private static let ways: [@Sendable (String, Registry) throws -> Void] = [
        { path, _ in
            let report = try DatabaseCheck(path: path).run()
            Issue.record("\(report.text)")
        },
        { path, _ in _ = try Backup(of: path, to: path + ".backup").run() },
        { path, registry in _ = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        },
        { path, registry in _ = try SQLiteStore(path: path, registry: registry, opener: .guest, mender: DraftMender())
        },
        { path, registry in
            _ = try SQLiteStore(path: path, registry: registry, opener: .guest, mender: DraftMender(), mustExist: true)
        },
    ]

    /// Expects each of these to be refused, in a message that contains `words` and mentions neither damage nor SQLite.
    private func expectRefusal(_ path: String, _ words: String, ways: Range<Int> = 0..<5) throws {
        for way in ways {
            let registry = registry
            let error = #expect(throws: StoreError.self) {
                try Nobody.run { try Self.ways[way](path, registry) }
            }
            let text = error?.description ?? ""
            #expect(text.contains(words), "way \(way): \(text)")
            for word in ["SOUND", "damaged", "restore", "SQLite error", "SQLite's error", "unable"] {
                #expect(!text.contains(word), "way \(way): \(text)")
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()) == ["t.db"])
    }

    @Test func aFileThatMayNotBeReadIsNotCalledDamaged() throws {
        chmod(path, 0)
        try expectRefusal(path, "t.db can't be read by the user")
    }

    @Test func aFolderIsNotCalledDamaged() throws {
        try expectRefusal(folder.url.path(), "is a folder, not a database")
    }

    @Test func aFolderThatMayNotBeEnteredIsNotCalledMissing() throws {
        chmod(folder.url.path(), 0o700)
        try expectRefusal(path, "can't be entered by the user")
    }

    @Test func aFileInThePlaceOfAFolderIsNamed() throws { try expectRefusal(path + "/t.db", "is a file, not a folder") }

    @Test func aMissingFileIsSaidToBeMissing() throws {
        try expectRefusal(folder.path("none.db"), "There is no database", ways: 0..<2)
        try expectRefusal(folder.path("none.db"), "There is no database", ways: 4..<5)
        try expectRefusal(folder.path("none/t.db"), "There is no folder", ways: 2..<4)
    }

    @Test func aReadOnlyFolderKeepsFromWritingOnly() throws {
        try expectRefusal(path, "can't be written by the user", ways: 2..<5)
        let path = path
        #expect(try Nobody.run { try DatabaseCheck(path: path).run().isSound })
        let other = try TemporaryFolder()
        chmod(other.url.path(), 0o777)
        #expect(try Nobody.run { try Backup(of: path, to: other.path("b.db")).run().bytes } > 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path()) == ["t.db"])
    }

    @Test func aBackupInAReadOnlyFolderIsChecked() throws {
        _ = try Backup(of: path, to: folder.path("b.db")).run()
        chmod(folder.path("b.db"), 0o644)
        let backup = folder.path("b.db")
        #expect(try Nobody.run { try DatabaseCheck(path: backup).run().isSound })
    }

    @Test func aLogThatCannotBeReadIsNotCalledDamage() throws {
        let store = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        let other = try TemporaryFolder()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: other.path("t.db" + suffix))
            chmod(other.path("t.db" + suffix), 0o644)
        }
        chmod(other.url.path(), 0o755)
        let error = #expect(throws: StoreError.self) {
            try Nobody.run { try DatabaseCheck(path: other.path("t.db")).run() }
        }
        #expect(error?.description.contains("has a log") == true)
        chmod(other.path("t.db-wal"), 0o600)
        let second = #expect(throws: StoreError.self) {
            try Nobody.run { try DatabaseCheck(path: other.path("t.db")).run() }
        }
        #expect(second?.description.contains("t.db-wal can't be read") == true)
        try store.close()
    }

    @Test func aServersFileIsCheckedByWhoMayOnlyRead() throws {
        let store = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        for suffix in ["", "-wal", "-shm"] { chmod(path + suffix, 0o644) }
        let path = path
        #expect(try Nobody.run { try DatabaseCheck(path: path).run().isSound })
        try store.close()
    }
}
