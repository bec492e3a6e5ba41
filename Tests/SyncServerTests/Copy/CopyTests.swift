import Foundation
import PostgreSQLTestKit
import SyncProtocol
import SyncStore
import SyncStorePostgreSQL
import SyncStoreSQL
import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Synchronization
import Testing

/// `tidemark copy`: everything is carried, and clients notice nothing.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: TestEngine.isSQLite)) struct CopyTests {
    @Test(arguments: [UInt64(1), 2]) func clientsNoticeNothing(seed: UInt64) async throws {
        let (scene, database) = (try await CopyScene(seed: seed), try TestDatabase())
        let before = try CopyScene.content(of: scene.path)
        #expect(before.filter(\.value.isEmpty).isEmpty, "the scene fills every table")
        let there = try await scene.copy(scene.path, database.address.text)
        #expect(there.isMoved && there.jump == nil && there.rows > 100)
        let back = scene.scene.folder.path("back.db")
        // Each copy adds an entry to the audit list of its target.
        #expect(try await scene.copy(database.address.text, back).rows == there.rows + 1)
        #expect(try DatabaseCheck(path: back).run().isSound)
        let after = try CopyScene.content(of: back)
        for (table, rows) in before where !["tidemark_audit", "sqlite_sequence"].contains(table) {
            #expect(after[table] == rows, "seed \(seed): \(table)")
        }
        let entries = try (#require(before["tidemark_audit"]), #require(after["tidemark_audit"]))
        let added = entries.1.filter { !entries.0.contains($0) }
        #expect(added.count == 2 && entries.1.count == entries.0.count + 2)
        #expect(added.allSatisfy { $0.contains("\"copied\"") })
        let keys = try [before, after].map { content in
            try #require(content["sqlite_sequence"]).filter { !$0.contains("\"tidemark_audit\"") }
        }
        #expect(keys[0] == keys[1])
        try await scene.expectSameAnswers(scene.open(back))
    }

    @Test func aDatabaseOnAServerAnswersAsTheFileDid() async throws {
        let (scene, database) = (try await CopyScene(), try TestDatabase())
        _ = try await scene.copy(scene.path, database.address.text)
        try await scene.expectSameAnswers(.postgreSQL(database.open(scene.registry)))
        // New keys come after the largest one that was ever given.
        let store = try database.open(scene.registry)
        defer { store.close() }
        let largest = try #require(try database.text("SELECT CAST(MAX(id) AS TEXT) FROM tidemark_users"))
        let new = try await store.write(.accounts) {
            try $0.createUser(
                username: "new", displayName: "N", isSuperuser: false, at: SyncProtocol.Instant(milliseconds: 0)
            ).id
        }
        #expect(new == Int64(largest)! + 1)
    }

    /// A key that was given stays given, although its row is gone.
    @Test func keysOfDeletedRowsAreNotGivenAgain() async throws {
        let (scene, database) = (try await CopyScene(), try TestDatabase())
        try CopyScene.run("UPDATE sqlite_sequence SET seq = 500 WHERE name = 'tidemark_tokens'", in: scene.path)
        _ = try await scene.copy(scene.path, database.address.text)
        #expect(
            try database.text("SELECT nextval(pg_get_serial_sequence('tidemark_tokens', 'id'))") == "501")
        let back = scene.scene.folder.path("back.db")
        _ = try await scene.copy(database.address.text, back)
        #expect(try CopyScene.content(of: back)["sqlite_sequence"]?.contains { $0.contains("501") } == true)
    }

    @Test func filesAndServersCanBeCopiedToTheirOwnKind() async throws {
        let scene = try await CopyScene()
        let (file, one, other) = (scene.scene.folder.path("file.db"), try TestDatabase(), try TestDatabase())
        let rows = try await scene.copy(scene.path, file).rows
        #expect(try await scene.copy(file, one.address.text).rows == rows + 1)
        #expect(try await scene.copy(one.address.text, other.address.text).rows == rows + 2)
        try await scene.expectSameAnswers(.postgreSQL(other.open(scene.registry)))
    }

    @Test func aCopyOfASourceThatStaysInUseHasOtherNumbers() async throws {
        let (scene, database) = (try await CopyScene(), try TestDatabase())
        let jump = try #require(try await scene.copy(scene.path, database.address.text, keep: true).jump)
        let (source, copy) = (try scene.open(scene.path), try database.open(scene.registry))
        defer { copy.close() }
        let heads = try await (
            source.read { try $0.project("p1")!.head.rawValue }, copy.read { try $0.project("p1")! }
        )
        #expect(heads.1.head.rawValue == heads.0 + jump.distance && heads.1.floor == heads.1.head)
        try await scene.expectSameAnswers(source)
    }

    /// A source on a server takes no writes while it is copied, and its servers end afterwards.
    @Test func writersWaitUntilASourceIsCopied() async throws {
        let (scene, database) = (try await CopyScene(), try TestDatabase())
        _ = try await scene.copy(scene.path, database.address.text)
        let store = try database.open(scene.registry)
        defer { store.close() }
        let copy = scene.scene.folder.path("copy.db")
        let write = Mutex<Task<SyncSeq, any Error>?>(nil)
        _ = try await scene.copy(database.address.text, copy) { progress in
            guard case .completing = progress else { return }
            write.withLock { $0 = Task { try await store.write(.project("p1")) { try $0.drawSeq(of: "p1") } } }
            let isWaiting = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted LIMIT 1"
            while try database.text(isWaiting) == nil {}
        }
        await #expect(throws: Problem.self) { try await write.withLock { $0 }!.value }
        #expect(throws: StoreError.self) { try database.open(scene.registry) }
        try await scene.expectSameAnswers(scene.open(copy))
    }
}
