import GRDB
import NIOCore
import Schemas
@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
@testable import SyncStoreSQLite

import SyncTestKit
import Testing

/// Pages that were read for somebody else. The tests change rows without going through
/// a `Draft`. The change gets no number, so only pages that are read again show it.
@Suite struct PageCacheTests {
    private let folder: TemporaryFolder
    private let bench: Workbench<SQLiteStore>

    init() async throws {
        folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        bench = try await Workbench(store, registry)
        try await bench.edit { editor in
            for number in 0..<30 { try editor.insert("tasks", "t\(number)", ["name": "old"]) }
            try editor.insert(
                "sprints", "s1", ["name": "S", "start_date": "2026-01-05", "finish_date": "2026-01-16"])
        }
        try await bench.edit {
            try $0.insert(
                "sprint_retros", "r1", ["sprint": "s1", "notes": "said in the open", "team_visibility": "project"])
        }
    }

    private func page(_ role: Role, cursor: String? = nil, size: Int = 10) async throws -> JSON {
        let request = PullRequest(project: bench.project, cursor: cursor, pageSize: size)
        return try JSON(parsing: try await bench.pulls.page(request, for: bench.caller(role)).body.readableBytesView)
    }

    private func names(_ page: JSON) -> Set<String> {
        Set((page["changes"]?["tasks"]?["updated"]?.array ?? []).compactMap { $0["name"]?.string })
    }

    private func changeBehindTheBack() async throws {
        try await bench.store.pool.write { try $0.execute(sql: "UPDATE tasks SET name = 'new'") }
    }

    @Test func aPageIsReadOnceForAllWhoSeeTheSame() async throws {
        #expect(names(try await page(.owner)) == ["old"])
        try await changeBehindTheBack()
        for role in [Role.owner, .admin, .member] { #expect(names(try await page(role)) == ["old"], "\(role)") }
        for role in [Role.scheduler, .viewer] {
            let seesRetros = role >= .member
            #expect(names(try await page(role)) == [seesRetros ? "old" : "new"], "\(role)")
        }
    }

    @Test func withoutRoomEveryPageIsReadAnew() async throws {
        let pulls = try await PullService(store: bench.store, registry: bench.registry, cacheBytes: 0)
        let request = PullRequest(project: bench.project, pageSize: 10)
        _ = try await pulls.page(request, for: bench.caller(.owner))
        try await changeBehindTheBack()
        let again = try await pulls.page(request, for: bench.caller(.owner))
        #expect(names(try JSON(parsing: again.body.readableBytesView)) == ["new"])
    }

    /// Callers share the rows, but not the cursor.
    @Test func aSharedPageHasItsReadersOwnCursor() async throws {
        let (mine, other) = (try await page(.owner), try await page(.admin))
        #expect(mine["changes"] == other["changes"])
        let cursor = try #require(other["next_cursor"]?.string)
        #expect(mine["next_cursor"]?.string != cursor)
        await #expect(throws: Problem.self) { try await page(.owner, cursor: cursor) }
        #expect(try await page(.admin, cursor: cursor)["has_more"] == true)
    }

    /// The content of an invisible row never leaves the server, not
    /// even from a cache: `docs/protocol.md#what-a-caller-sees`.
    @Test func aGateThatClosedHidesWhatACachedPageShows() async throws {
        var (cursor, shown): (String?, JSON?) = (nil, nil)
        repeat {
            let read = try await page(.viewer, cursor: cursor, size: 5)
            if read.text.contains("said in the open") { shown = read } else { cursor = read["next_cursor"]?.string }
        } while shown == nil && cursor != nil
        #expect(shown != nil)
        #expect(try await page(.viewer, cursor: cursor, size: 5) == shown)
        try await bench.edit { try $0.update("sprint_retros", "r1", ["team_visibility": "team_only"]) }
        let closed = try await page(.viewer, cursor: cursor, size: 5)
        #expect(!closed.text.contains("said in the open"))
    }

    /// A digest describes the rows as they are now, a cached page the rows as they were.
    @Test func theDigestOfACachedPageIsGivenOnlyWhileNothingIsWritten() async throws {
        func lastPage() async throws -> JSON {
            var request = PullRequest(project: bench.project, pageSize: 100, collections: ["tasks"])
            request.encoding = .json
            return try JSON(
                parsing: try await bench.pulls.page(request, for: bench.caller(.owner)).body.readableBytesView)
        }
        let first = try await page(.owner, size: 20)
        let cursor = try #require(first["next_cursor"]?.string)
        let last = try await page(.owner, cursor: cursor, size: 100)
        #expect(last["digest"]?.object != nil)
        #expect(try await lastPage()["digest"]?.object != nil)
        try await bench.edit { try $0.update("tasks", "t29", ["name": "edited"]) }
        #expect(try await page(.owner, cursor: cursor, size: 100)["digest"] == .null)
        #expect(try await lastPage()["digest"]?.object != nil)
    }

    @Test func aLongPageEndsInFrontOfItsReadersOwnRows() async throws {
        try await bench.edit { editor in
            for number in 30..<300 { try editor.insert("tasks", "t\(number)", ["name": "more"]) }
        }
        try await bench.edit(as: .member) {
            try $0.insert("time_entries", "e1", ["task": "t1", "minutes": 5, "entry_date": "2026-01-05"])
        }
        let first = try await page(.member, size: 5000)
        let cursor = try #require(first["next_cursor"]?.string)
        #expect(first["changes"]?["time_entries"]?["updated"] == [])
        let rest = try await page(.member, cursor: cursor, size: 5000)
        #expect(rest["changes"]?["time_entries"]?["updated"]?.array?.count == 1)
        #expect(rest["has_more"] == false)
        #expect(try await page(.owner, size: 5000)["changes"] == first["changes"])
    }

    /// Many readers of one page at once, while a writer closes and opens the gate. Readers whose role passes the gate
    /// see the retro all the time, the others only while it is open.
    @Test func aStormOnOnePageIsServedWhole() async throws {
        try await withThrowingTaskGroup(of: JSON.self) { group in
            for number in 0..<200 {
                let role = Role.allCases[number % Role.allCases.count]
                group.addTask { try await page(role, size: 40) }
            }
            for try await page in group { #expect(page["changes"]?["tasks"]?["updated"]?.array?.count == 30) }
        }
    }
}

/// A schema in which an own-only collection comes first. Every page after it can be shared, except the last.
@Suite struct PrivateCollectionFirstTests {
    private static let notes = """
        {"$schema": "urn:tidemark:meta-schema", "$id": "urn:tidemark:collection:notes", "title": "notes",
         "type": "object", "x-order": 2, "x-visibility": {"own": "user"},
         "x-roles": {"create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"}, "required": ["text"],
         "properties": {"text": {"type": "string"}, "user": {"type": "integer", "readOnly": true, "x-value": "caller"}}}
        """

    @Test func theDigestOfASharedDrainIsItsReadersOwn() async throws {
        let folder = try TemporaryFolder()
        var documents = try BuiltInSchemas.documents.map { ($0.name, try JSON(parsing: $0.bytes)) }
        documents.append(("notes", try JSON(parsing: PrivateCollectionFirstTests.notes)))
        let registry = try Registry(documents: documents)
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        let bench = try await Workbench(store, registry)
        try await bench.edit { editor in
            for number in 0..<30 { try editor.insert("tasks", "t\(number)", ["name": "T"]) }
        }
        for (role, id) in [(Role.owner, "n-owner"), (.admin, "n-admin")] {
            try await bench.edit(as: role) { try $0.insert("notes", id, ["text": "mine"]) }
        }
        for role in [Role.owner, .admin, .owner] {
            var client = DrainClient(bench.caller(role))
            try await client.drain(from: bench, pageSize: 10)
            #expect(client.isConfirmed, "\(role)")
            #expect(client.rows.keys.filter { $0.collection == "notes" }.count == 1)
        }
    }
}
