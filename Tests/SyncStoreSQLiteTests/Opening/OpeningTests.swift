import Foundation
import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
@testable import SyncStoreSQLite
import SyncTestKit

import Testing

/// Files that are not databases of this version.
@Suite struct OpeningTests {
    private let folder: TemporaryFolder
    private let registry: Registry
    private var path: String { folder.path("t.db") }

    init() throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
    }

    /// The processes that could open a file.
    enum Way: CaseIterable {
        case server, guest, existing, check, backup
    }

    private func open(_ way: Way) throws {
        switch way {
        case .server: _ = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        case .guest: _ = try SQLiteStore(path: path, registry: registry, opener: .guest, mender: DraftMender())
        case .existing:
            _ = try SQLiteStore(path: path, registry: registry, opener: .guest, mender: DraftMender(), mustExist: true)
        case .check: _ = try DatabaseCheck(path: path).run()
        case .backup: _ = try Backup(of: path, to: folder.path("b.db")).run()
        }
    }

    /// Every file in the folder with its bytes.
    private func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.url.path())
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(filePath: folder.path($0)))) })
    }

    private func execute(_ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    private func mark() throws -> Int64? {
        try DatabaseQueue(path: path).read { try Int64.fetchOne($0, sql: "PRAGMA application_id") }
    }

    @Test(
        arguments: [
            "CREATE TABLE t (a); INSERT INTO t VALUES (1)",
            "PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1)",
            "PRAGMA application_id = 252006673; CREATE TABLE t (a)", "PRAGMA application_id = 7",
            "PRAGMA application_id = 7; CREATE TABLE tidemark_settings (name, value)",
            "PRAGMA journal_mode = WAL; CREATE VIEW v AS SELECT 1",
        ], Way.allCases)
    func aFileOfAnotherProgramIsLeftAsItWas(sql: String, way: Way) throws {
        try execute(sql)
        let before = try files()
        let error = #expect(throws: StoreError.self) { try open(way) }
        #expect(error?.description.contains("belongs to another program") == true)
        #expect(try files() == before)
    }

    @Test(arguments: Way.allCases) func aFileThatAnotherProgramHasOpenIsLeftAsItWas(way: Way) throws {
        let other = try DatabasePool(path: path)
        try other.write { try $0.execute(sql: "CREATE TABLE t (a); INSERT INTO t VALUES (1)") }
        let before = try files().filter { !$0.key.hasSuffix("-shm") }
        #expect(throws: StoreError.self) { try open(way) }
        #expect(try files().filter { !$0.key.hasSuffix("-shm") } == before)
        #expect(try Set(files().keys) == ["t.db", "t.db-wal", "t.db-shm"])
        try other.close()
    }

    @Test(arguments: Way.allCases) func aReplicaIsNamedAsOne(way: Way) throws {
        try execute("PRAGMA journal_mode = WAL; PRAGMA application_id = \(0x544D_7270); CREATE TABLE _replica (a)")
        let before = try files()
        let error = #expect(throws: StoreError.self) { try open(way) }
        #expect(error?.description.contains("replica") == true)
        #expect(try files() == before)
    }

    @Test(arguments: Way.allCases) func aFileOfANewerVersionIsLeftAsItWas(way: Way) throws {
        do {
            let store = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
            try store.close()
        }
        for suffix in ["-lock", "-checkpoint"] { unlink(path + suffix) }
        for layout in [String(Int(TableLayout.version)! + 1), "1000", "of another kind"] {
            try execute("UPDATE tidemark_settings SET value = '\(layout)' WHERE name = 'layout'")
            let before = try files()
            let error = #expect(throws: StoreError.self) { try open(way) }
            #expect(error?.description.contains("made by a newer version of Tidemark") == true)
            #expect(error?.description.contains("Start the server") == false)
            #expect(try files() == before)
        }
    }

    /// As texts they would compare the other way round.
    @Test func layoutsAreComparedAsNumbers() throws {
        #expect(LayoutVersion.number("10") > LayoutVersion.number("9"))
        #expect(LayoutVersion.number(nil) < LayoutVersion.number("1"))
    }

    @Test(arguments: [SQLiteStore.Opener.server, .guest]) func aNewFileBearsOurMark(opener: SQLiteStore.Opener) throws {
        try SQLiteStore(path: path, registry: registry, opener: opener, mender: DraftMender()).close()
        #expect(try mark() == DatabaseFile.mark)
        _ = try Backup(of: path, to: folder.path("b.db")).run()
        let backup = try DatabaseQueue(path: folder.path("b.db"))
        #expect(try backup.read { try Int64.fetchOne($0, sql: "PRAGMA application_id") } == DatabaseFile.mark)
    }

    @Test(arguments: [SQLiteStore.Opener.server, .guest]) func aFileWithoutTheMarkGetsIt(
        opener: SQLiteStore.Opener
    ) throws {
        try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender()).close()
        try execute("PRAGMA application_id = 0")
        #expect(try DatabaseCheck(path: path).run().isSound)
        try SQLiteStore(path: path, registry: registry, opener: opener, mender: DraftMender()).close()
        #expect(try mark() == DatabaseFile.mark)
    }

    /// The files as `kill -9` leaves them before the first checkpoint:
    /// all tables are in the log, and there is no shared memory.
    @Test(arguments: [true, false]) func aFileWhoseTablesAreInTheLogIsOurs(isMarked: Bool) async throws {
        let store = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        if !isMarked {
            try await store.pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA application_id = 0") }
        }
        let other = try TemporaryFolder()
        for suffix in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: other.path("t.db" + suffix))
        }
        #expect(try DatabaseCheck(path: other.path("t.db")).run().isSound)
        _ = try SQLiteStore(path: other.path("t.db"), registry: registry, opener: .guest, mender: DraftMender())
    }

    @Test func anEmptyFileBecomesADatabase() throws {
        try Data().write(to: URL(filePath: path))
        #expect(throws: StoreError.self) { try DatabaseCheck(path: path).run() }
        #expect(try files()["t.db"]?.isEmpty == true)
        try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender()).close()
        #expect(try DatabaseCheck(path: path).run().isSound)
    }

    @Test(arguments: Way.allCases) func whatIsNoDatabaseAtAllIsLeftAsItWas(way: Way) throws {
        try Data("A letter to the editor, long enough. \(String(repeating: "x", count: 5000))".utf8)
            .write(to: URL(filePath: path))
        let before = try files()
        if way == .check {
            #expect(try DatabaseCheck(path: path).run().findings.map(\.code) == [.damagedFile])
        } else {
            #expect(throws: StoreError.self) { try open(way) }
        }
        #expect(try files() == before)
    }
}
