import Foundation
import PostgreSQLTestKit
import SyncEngine
import SyncProtocol
import SyncStore
import SyncStorePostgreSQL
import SyncStoreSQL
import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Testing

/// What `tidemark copy` refuses, and what becomes of a copy that is interrupted.
@Suite(.serialized, .timeLimit(.minutes(30)), .enabled(if: TestEngine.isSQLite)) struct CopyRefusalTests {
    private struct Interrupted: Error {}

    /// Copies, expects a refusal that says `words`, and that neither database was changed.
    private func expectRefusal(
        _ scene: CopyScene, to database: TestDatabase, _ words: String, keep: Bool = false
    ) async throws {
        let before = try CopyScene.content(of: scene.path)
        let error = await #expect(throws: StoreError.self) {
            try await scene.copy(scene.path, database.address.text, keep: keep)
        }
        #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
        #expect(try CopyScene.content(of: scene.path) == before)
    }

    private func expectEmpty(_ database: TestDatabase) throws {
        #expect(try database.text("SELECT CAST(count(*) AS TEXT) FROM pg_tables WHERE schemaname = 'public'") == "0")
    }

    @Test func aTargetThatIsNotEmptyIsRefused() async throws {
        let (scene, database) = (try await CopyScene(), try TestDatabase())
        try database.open(scene.registry).close()
        try await expectRefusal(scene, to: database, "is not empty")
        #expect(try database.text("SELECT value FROM tidemark_settings WHERE name = 'copied_from'") == nil)
        let foreign = try TestDatabase()
        try foreign.run("CREATE TABLE tasks (a INTEGER)")
        try await expectRefusal(scene, to: foreign, "already has tasks")

        let file = scene.scene.folder.path("taken.db")
        try Data("x".utf8).write(to: URL(filePath: file))
        await #expect(throws: StoreError.self) { try await scene.copy(scene.path, file) }
        #expect(try Data(contentsOf: URL(filePath: file)) == Data("x".utf8))
        let log = scene.scene.folder.path("log.db")
        try Data("x".utf8).write(to: URL(filePath: log + "-wal"))
        await #expect(throws: StoreError.self) { try await scene.copy(scene.path, log) }
        #expect(!FileManager.default.fileExists(atPath: log))
    }

    @Test func aSourceThatIsMissingOrInUseIsRefused() async throws {
        let (scene, database) = (try await CopyScene(), try TestDatabase())
        await #expect(throws: StoreError.self) {
            try await scene.copy(scene.scene.folder.path("none.db"), database.address.text)
        }
        await #expect(throws: StoreError.self) {
            try await scene.copy(database.address.text, scene.scene.folder.path("new.db"))
        }
        let server = try scene.open(scene.path)
        try await expectRefusal(scene, to: database, "Another server has")
        try server.close()
        try expectEmpty(database)
    }

    static let faults: [(sql: String, words: String)] = [
        ("UPDATE tasks SET name = 'X' WHERE id = 'kept'", "The row kept of tasks is damaged"),
        ("UPDATE tidemark_users SET display_name = 'a' || char(0) || 'b' WHERE id = 2", "U+0000"),
        ("UPDATE tidemark_users SET display_name = CAST(x'C328' AS TEXT) WHERE id = 2", "of the row 2"),
        ("UPDATE tidemark_row_counts SET live = live + 1 WHERE collection = 'tasks'", "the counters of tasks"),
        ("UPDATE tidemark_digests SET bits = bits + 1 WHERE collection = 'tasks'", "the digest of tasks"),
        ("UPDATE tidemark_sessions SET user_id = 999", "is not sound"),
    ]

    @Test(arguments: faults) func aSourceWithAFaultIsRefused(sql: String, words: String) async throws {
        let (scene, database) = (try await CopyScene(), try TestDatabase())
        try CopyScene.run(sql, in: scene.path)
        try await expectRefusal(scene, to: database, words)
        try expectEmpty(database)
        let file = scene.scene.folder.path("copy.db")
        await #expect(throws: StoreError.self) { try await scene.copy(scene.path, file) }
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: scene.scene.folder.url.path).allSatisfy {
                !$0.hasPrefix("copy.db")
            })
    }

    @Test func aMovedDatabaseIsNotServed() async throws {
        let (scene, database) = (try await CopyScene(), try TestDatabase())
        _ = try await scene.copy(scene.path, database.address.text)
        for opener in [SQLiteStore.Opener.server, .guest] {
            let error = #expect(throws: StoreError.self) {
                try SQLiteStore(path: scene.path, registry: scene.registry, opener: opener, mender: DraftMender())
            }
            #expect(error?.description.contains("was moved to \(database.address)") == true)
        }
        try await expectRefusal(scene, to: TestDatabase(), "was moved to")
        let reader = try SQLiteStore(
            path: scene.path, registry: scene.registry, opener: .guest, mender: DraftMender(), acceptsMoved: true)
        #expect(try await reader.read { try $0.project("p1") } != nil)
        #expect(try DatabaseCheck(path: scene.path).run().isSound)
        let jump = try await reader.jump()
        try reader.close()
        let again = try scene.open(scene.path)
        #expect(try await again.read { try $0.project("p1")!.floor.rawValue } > jump.distance)
        try again.close()

        let file = scene.scene.folder.path("file.db")
        _ = try await scene.copy(database.address.text, file)
        #expect(throws: StoreError.self) { try database.open(scene.registry) }
        #expect(throws: StoreError.self) { try database.open(scene.registry, as: .guest) }
        try database.open(scene.registry, as: .reader).close()
        let restored = try database.open(scene.registry, as: .restored)
        #expect(restored.jumpAtOpening != nil)
        restored.close()
        try database.open(scene.registry).close()
    }

    /// A command that had opened the file before it was moved.
    @Test func aGuestThatComesTooLateIsRefused() async throws {
        let (scene, database) = (try await CopyScene(), try TestDatabase())
        let guest = try SQLiteStore(
            path: scene.path, registry: scene.registry, opener: .guest, mender: DraftMender())
        _ = try await scene.copy(scene.path, database.address.text)
        await #expect(throws: StoreError.self) { try await guest.write(.accounts) { try $0.setSecret("x", "y") } }
        try guest.close()
    }

    @Test func anInterruptedCopyLeavesNothing() async throws {
        let (scene, database) = (try await CopyScene(), try TestDatabase())
        let before = try CopyScene.content(of: scene.path)
        let file = scene.scene.folder.path("file.db")
        for target in [database.address.text, file] {
            await #expect(throws: Interrupted.self) {
                try await scene.copy(scene.path, target) { progress in
                    if case .completing = progress { throw Interrupted() }
                }
            }
        }
        try expectEmpty(database)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try CopyScene.content(of: scene.path) == before)
        #expect(try CopyScene.setting("moved_to", in: scene.path) == nil)
        _ = try await scene.copy(scene.path, database.address.text)
        await #expect(throws: (any Error).self) {
            try await scene.copy(database.address.text, file) { progress in
                if case .copied = progress { try database.endOtherSessions() }
            }
        }
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(try database.text("SELECT value FROM tidemark_settings WHERE name = 'moved_to'") == nil)
        try await scene.expectSameAnswers(.postgreSQL(database.open(scene.registry)))
    }

    /// The command dies after the target was committed: before the source was marked, or after.
    @Test func aCopyThatDiedAtItsEndIsFinished() async throws {
        let (scene, database) = (try await CopyScene(), try TestDatabase())
        _ = try await scene.copy(scene.path, database.address.text)
        let mark = try #require(
            try CopyScene.setting("moved_to", in: scene.path).flatMap { DatabaseMove($0) })
        let unfinished = "INSERT INTO tidemark_settings VALUES ('copied_from', '\(mark.text)')"
        try database.run(unfinished)
        let error = #expect(throws: StoreError.self) { try database.open(scene.registry) }
        #expect(error?.description.contains("not finished") == true)
        let report = try await scene.copy(scene.path, database.address.text)
        #expect(report.isFinishOnly && report.isMoved)
        try await scene.expectSameAnswers(.postgreSQL(database.open(scene.registry)))

        try database.run(unfinished)
        try CopyScene.run("DELETE FROM tidemark_settings WHERE name = 'moved_to'", in: scene.path)
        try await expectRefusal(scene, to: database, "Remove it, then copy again")
    }
}
