import GRDB
import SyncProtocol
import Testing

@testable import SyncClientCore

/// What a page does to rows in each local state.
@Suite struct ReplicaApplyTests {
    private let scratch: Scratch
    private let replica: Replica

    init() throws {
        scratch = try Scratch()
        replica = try scratch.replicaWithTables()
    }

    private func full(_ name: String, version: Int64 = 1, duration: JSON = 3) -> JSON {
        [
            "id": "a", "server_version": .int(version), "name": .string(name), "sprint": nil, "parent": nil,
            "duration": duration,
            "percent": 12.5, "done": true, "labels": ["x", "ü"],
        ]
    }

    /// Row `a` as it came from the server at version 1, then changed by `edit`.
    private func prepare(_ edit: String?) throws {
        try replica.take(Fixture.page(Fixture.tasks(updated: [full("server")])))
        if let edit { try replica.edit("UPDATE tasks SET " + edit) }
    }

    @Test func everyKindOfValueComesBackAsItWas() throws {
        try replica.take(Fixture.page(Fixture.tasks(updated: [full("ä'\"")])))
        let expected = try #require(full("ä'\"").object).merging(["_status": "synced", "_changed": ""]) { $1 }
        #expect(try replica.row("a") == .object(expected))
        let raw = try replica.read { try StoredValues.fetch($0) }
        #expect(raw == StoredValues(done: 1, labels: #"["x","ü"]"#, percent: 12.5))
    }

    @Test func newRowsGetTheDefaultsOfOmittedColumnsAndOldOnesKeepTheirs() throws {
        try replica.take(Fixture.page(Fixture.tasks(updated: [["id": "a", "server_version": 1, "name": "A"]])))
        #expect(try replica.row("a")?["duration"] == 1)
        #expect(try replica.row("a")?["labels"] == [])
        try replica.edit("UPDATE tasks SET duration = 9")
        try replica.take(Fixture.page(Fixture.tasks(updated: [["id": "a", "server_version": 2, "name": "B"]])))
        #expect(try replica.row("a")?["duration"] == 9)
        #expect(try replica.row("a")?["name"] == "B")
    }

    @Test func unknownMembersAndCollectionsAreIgnored() throws {
        let changes: JSON = [
            "tasks": Fixture.changes(updated: [["id": "a", "server_version": 1, "name": "A", "new": 1, "_status": "x"]]
            ),
            "moons": Fixture.changes(updated: [["id": "m"]]),
        ]
        try replica.take(Fixture.page(changes))
        #expect(try replica.row("a")?["_status"] == "synced")
    }

    /// WatermelonDB's table "one id, remote bucket × local state". `name` and `duration` show whose value is there.
    @Test(
        arguments: [
            (nil, "created", "remote", 5, "synced"), (nil, "updated", "remote", 5, "synced"),
            ("_status = 'updated', _changed = 'name', name = 'local'", "created", "local", 5, "updated"),
            ("_status = 'updated', _changed = 'name', name = 'local'", "updated", "local", 5, "updated"),
            ("_status = 'created', name = 'local', duration = 8", "created", "remote", 5, "created"),
            ("_status = 'created', name = 'local', duration = 8", "updated", "remote", 5, "created"),
            ("_status = 'created', _changed = 'duration', duration = 8", "updated", "remote", 8, "created"),
            ("_status = 'deleted'", "created", "remote", 5, "synced"),
            ("_status = 'deleted'", "updated", "server", 3, "deleted"),
        ] as [(String?, String, String, Int64, String)])
    func liveRowMeetsLocalState(edit: String?, bucket: String, name: String, duration: Int64, status: String) throws {
        try prepare(edit)
        let row = full("remote", version: 2, duration: 5)
        let changes = Fixture.tasks(
            created: bucket == "created" ? [row] : [], updated: bucket == "updated" ? [row] : [])
        try replica.take(Fixture.page(changes, timestamp: 43))
        let stored = try replica.row("a")
        #expect(stored?["name"] == .string(name))
        #expect(stored?["duration"] == .int(duration))
        #expect(stored?["_status"] == .string(status))
        #expect(stored?["server_version"] == 2)
    }

    @Test(arguments: RowStatus.allCases)
    func serverDeleteRemovesTheRowWhateverItsState(status: RowStatus) throws {
        try prepare("_status = '\(status.rawValue)', _changed = 'name'")
        try replica.take(Fixture.page(Fixture.tasks(deleted: ["a", "never-seen"]), timestamp: 43))
        #expect(try replica.ids().isEmpty)
    }

    @Test func cursorAndWatermarkAreStoredWithThePage() throws {
        try replica.take(Fixture.page(Fixture.tasks(deleted: ["x"]), timestamp: 9, cursor: "c", total: 5))
        var state = try replica.state()
        #expect(state.since == .zero)
        #expect(state.drain == .init(cursor: "c", timestamp: SyncSeq(9), rows: 1, total: 5))
        try replica.take(Fixture.page(timestamp: 9))
        state = try replica.state()
        #expect(state.since == SyncSeq(9) && state.drain == nil)
    }

    @Test(arguments: [
        Fixture.tasks(updated: [["id": "a", "server_version": 2]]),
        Fixture.tasks(created: [["id": "a", "server_version": 2]]),
        Fixture.tasks(deleted: ["a"]),
    ])
    func idTwiceInOneDrainIsAViolationAndStoresNothing(changes: JSON) throws {
        try replica.take(Fixture.page(Fixture.tasks(updated: [full("first")]), cursor: "c"))
        let before = try replica.state()
        #expect(throws: SyncError.violation("in `tasks`: row `a` occurs twice in one drain")) {
            try replica.take(Fixture.page(changes))
        }
        #expect(try replica.state() == before)
        #expect(try replica.row("a")?["name"] == "first")
    }
}

private struct StoredValues: Equatable {
    var done: Int64
    var labels: String
    var percent: Double

    static func fetch(_ db: Database) throws -> Self? {
        try Row.fetchOne(db, sql: "SELECT done, labels, percent FROM tasks").map {
            Self(done: $0["done"], labels: $0["labels"], percent: $0["percent"])
        }
    }
}
