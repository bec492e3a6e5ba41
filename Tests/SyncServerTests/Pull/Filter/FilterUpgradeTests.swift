import GRDB
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// A database whose rows don't note what moves them between parts.
@Suite struct FilterUpgradeTests {
    /// What a client knew before the upgrade.
    private struct Before {
        let token: String
        let watermark: Int64
        let drain: Drain
    }

    /// Takes away what layout 10 has and layout 9 had not.
    private func makeOlder(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        for collection in try Registry.builtIn().collections {
            try queue.write { db in
                try db.execute(
                    sql: """
                        DROP INDEX IF EXISTS "\(collection.name)_moved";
                        DROP INDEX IF EXISTS "\(collection.name)_moved_ungated";
                        ALTER TABLE "\(collection.name)" DROP COLUMN filter_seq;
                        """)
            }
        }
        try queue.write { db in
            try db.execute(
                sql: """
                    ALTER TABLE tidemark_projects DROP COLUMN filter_floor;
                    UPDATE tidemark_settings SET value = '9' WHERE name = 'layout';
                    """)
        }
        try queue.close()
    }

    private func older(in folder: TemporaryFolder) async throws -> Before {
        let before: Before
        do {
            let scene = try await Scene(in: folder)
            try await scene.fillParts()
            let member = try await scene.client(.member)
            let watermark = try await member.head()
            try await scene.bench.edit { try $0.update("tasks", "a1", ["assignee": nil]) }
            before = Before(
                token: try #require(member.token), watermark: watermark, drain: try await member.drain())
            await scene.server.stop()
        }
        try makeOlder(folder.path("t.db"))
        return before
    }

    @Test(.enabled(if: TestEngine.isSQLite)) func rowsAndWatermarksStay() async throws {
        let folder = try TemporaryFolder()
        let before = try await older(in: folder)
        let member = Client(server: try await TestServer(reopening: folder), project: "p1", token: before.token)
        let whole = try await member.drain()
        #expect(whole.rows == before.drain.rows && whole.timestamp == before.drain.timestamp)
        #expect(try await member.drain(since: before.watermark).ids("tasks") == ["a1"])
        #expect(try DatabaseCheck(path: folder.path("t.db")).run().isSound)
    }

    /// Nobody noted what moved between that watermark and the upgrade.
    @Test(.enabled(if: TestEngine.isSQLite)) func aFilterBeginsAtTheUpgrade() async throws {
        let folder = try TemporaryFolder()
        let before = try await older(in: folder)
        let member = Client(server: try await TestServer(reopening: folder), project: "p1", token: before.token)
        for (filter, was) in [(Scene.mine, "{}"), (Scene.mine, "same"), (nil, Scene.mine)] as [(String?, String)] {
            let page = try await member.page(Client.part(filter, was: was, since: before.watermark))
            #expect(page.status == 410 && page.code == "since_expired", "\(page.text)")
        }
        let first = try await member.filteredDrain(Scene.mine)
        #expect(first.ids("tasks") == ["a2"])
        let roll = try await member.filteredDrain(Scene.mine, was: "{}", since: before.drain.timestamp)
        #expect(roll.left == Scene.ofA1.union(Scene.ofB1).union(Scene.ofB2) && roll.updated.isEmpty)
        #expect(try await member.upload(updated: [["id": "a2", "assignee": nil]]).status == 200)
        let next = try await member.filteredDrain(Scene.mine, was: "same", since: first.timestamp)
        #expect(next.left == [RowKey("tasks", "a2")])
    }
}
