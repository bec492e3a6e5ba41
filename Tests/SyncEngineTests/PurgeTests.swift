import GRDB
@testable import SyncEngine
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// What a purge removes and what it keeps: `docs/protocol.md#when-a-watermark-is-refused`.
@Suite struct PurgeTests {
    private let folder: TemporaryFolder
    private let bench: Workbench<SQLiteStore>

    init() async throws {
        folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        bench = try await Workbench(
            SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()), registry
        )
    }

    private func isStored(_ collection: String, _ id: String) async throws -> Bool {
        try await bench.store.read { try $0.record(RowKey(collection, id)) != nil }
    }

    private func horizon() async throws -> SyncSeq { try await bench.store.read { try $0.project("p1")!.horizon } }

    private func insertLinkedTask() async throws {
        try await bench.edit { editor in
            try editor.insert("tasks", "t", ["name": "T"])
            try editor.insert("task_links", "l", ["task": "t", "url": "https://example.org/"])
        }
    }

    /// More rows than one step takes; parents with higher ids than their children, and with lower ids.
    @Test(arguments: [true, false]) func aDeepTreeGoesWhole(isAscending: Bool) async throws {
        let count = 1200
        try await bench.edit { editor in
            for number in 0..<count {
                let (id, parent) = (name(number, isAscending), name(number - 1, isAscending))
                try editor.insert("tasks", id, ["name": "T", "parent": number == 0 ? nil : .string(parent)])
                try editor.insert("task_links", "l\(number)", ["task": .string(id), "url": "https://example.org/"])
            }
        }
        let seq = try await bench.edit { try $0.delete("tasks", name(0, isAscending)) }
        #expect(try await bench.purge().tombstones == 2 * count)
        #expect(try await horizon() == seq)
        #expect(try await !isStored("tasks", name(7, isAscending)))
        #expect(try await bench.brokenInvariants() == [])
    }

    private func name(_ number: Int, _ isAscending: Bool) -> String {
        "t\(isAscending ? 10_000 + number : 90_000 - number)"
    }

    @Test func onlyWhatIsOldEnoughGoesAndTheHeadStays() async throws {
        try await insertLinkedTask()
        let seq = try await bench.edit { try $0.delete("tasks", "t") }
        let days = Duration.seconds(90 * 86_400)
        #expect(try await bench.purge(olderThan: days, later: days).tombstones == 0)
        #expect(try await horizon() == .zero)
        #expect(try await bench.purge(olderThan: days, later: days + .seconds(3600)).tombstones == 2)
        #expect(try await horizon() == seq)
        #expect(try await bench.store.read { try $0.project("p1")!.head } == seq)
    }

    @Test func aParentWaitsForAChildThatWasStampedLater() async throws {
        try await insertLinkedTask()
        let deleted = try #require(try await bench.edit { try $0.delete("tasks", "t") })
        let stamped = try #require(try await bench.edit { try $0.draft.restamp(RowKey("task_links", "l")) })
        for name in ["task_links", "tasks"] {
            let step = try await purge(name, upTo: deleted)
            #expect(step.removed == 0, "\(name)")
        }
        #expect(try await purge("task_links", upTo: stamped).removed == 1)
        #expect(try await purge("tasks", upTo: deleted).removed == 1)
    }

    private func purge(_ name: String, upTo upper: SyncSeq) async throws -> PurgeStep {
        let collection = bench.registry[name]!
        return try await bench.store.write {
            try $0.purge(collection, project: "p1", upTo: upper, from: .start, limit: 10)
        }
    }

    @Test func aListThatNamesADeadRowHoldsItUntilItIsGoneItself() async throws {
        try await insertLinkedTask()
        try await bench.edit { editor in
            try editor.insert("risks", "r", ["title": "R", "probability": 1, "impact": 1, "task_ids": ["t"]])
        }
        try await bench.edit { editor in
            try editor.delete("risks", "r")
            try editor.delete("tasks", "t")
        }
        let head = try await bench.store.read { try $0.project("p1")!.head }
        #expect(try await purge("task_links", upTo: head).removed == 1)
        #expect(try await purge("tasks", upTo: head).removed == 0)
        #expect(try await bench.purge().tombstones == 2)
        #expect(try await !isStored("tasks", "t"))
    }

    @Test func whoLostAProjectIsToldSoAfterEveryPurge() async throws {
        try await insertLinkedTask()
        let request = PullRequest(project: "p1", since: .zero, cursor: nil, pageSize: 10)
        try await bench.setRole(of: .viewer, to: nil)
        try await bench.purge()
        await #expect(throws: Problem.self) { try await bench.pulls.page(request, for: bench.caller(.viewer)) }
        try await bench.items.delete("p1", in: bench.registry.projects, if: .none, by: bench.caller(.owner))
        try await bench.purge()
        for (role, code) in [(Role.member, ErrorCode.projectDeleted), (.owner, .projectDeleted)] {
            let problem = await #expect(throws: Problem.self) {
                try await bench.pulls.page(request, for: bench.caller(role))
            }
            #expect(problem?.code == code)
        }
        #expect(try await isStored("projects", "p1"))
        #expect(try await !isStored("tasks", "t"))
    }

    /// Whatever the clock did, finds the greatest commit up to which all commits are old enough.
    @Test func aClockThatWentBackPurgesNothingEarly() async throws {
        let hour = Duration.seconds(3600)
        let noon = Workbench<SQLiteStore>.noon
        try await bench.store.write { try $0.createProject("q") }
        for hours in [0, 50, 1, 2] {
            _ = try await bench.store.write { try $0.drawSeq(of: "q", at: noon.advanced(by: hour * hours)) }
        }
        let found = try await bench.store.read { transaction in
            try [0, 1, 10, 51].map { try transaction.lastCommit(of: "q", before: noon.advanced(by: hour * $0)) }
        }
        #expect(found == [nil, SyncSeq(1), SyncSeq(1), SyncSeq(4)])
    }

    /// A file of an earlier version, which kept the present hour in the same table as the hours before it.
    @Test func hoursOfEarlierVersionsAreKept() async throws {
        let folder = try TemporaryFolder()
        let (path, noon) = (folder.path("t.db"), Workbench<SQLiteStore>.noon)
        let before = try await Workbench(
            SQLiteStore(path: path, registry: .builtIn(), opener: .server, mender: DraftMender()), .builtIn())
        let head = try await before.store.read { try $0.project("p1")!.head }
        try before.store.close()
        try await DatabaseQueue(path: path).write {
            try $0.execute(
                sql: """
                    CREATE TABLE tidemark_commits (project_id TEXT, hour INTEGER, sync_seq INTEGER);
                    INSERT INTO tidemark_commits SELECT project_id, at / 3600000, MAX(sync_seq)
                    FROM tidemark_numbers GROUP BY project_id, at / 3600000;
                    DROP TABLE tidemark_numbers;
                    DROP TABLE tidemark_stints;
                    UPDATE tidemark_settings SET value = '4' WHERE name = 'layout';
                    """)
        }
        let store = try SQLiteStore(path: path, registry: .builtIn(), opener: .server, mender: DraftMender())
        let hour = Duration.seconds(3600)
        let found = try await store.read { transaction in
            try [0, 1, 9].map { try transaction.lastCommit(of: "p1", before: noon.advanced(by: hour * $0)) }
        }
        #expect(found == [nil, head, head])
        let stints = try await store.read { try $0.stints(of: before.caller(.owner).userID) }
        #expect(stints.map(\.project) == ["p1"] && stints.allSatisfy { $0.until == .maximum })
    }

    @Test func aStepThatFailsLeavesNothing() async throws {
        try await insertLinkedTask()
        try await bench.edit { try $0.delete("tasks", "t") }
        for call in 1...3 {
            let faulty = FaultyStore(bench.store, failingCall: call)
            let clock = WallClock { Workbench<SQLiteStore>.noon }
            await #expect(throws: FaultyStore<ModelStore>.Fault.self) {
                try await PurgeService(store: faulty, registry: bench.registry, clock: clock).purge(olderThan: .zero)
            }
            #expect(try await horizon() == .zero, "call \(call)")
            #expect(try await bench.brokenInvariants() == [], "call \(call)")
        }
    }
}
