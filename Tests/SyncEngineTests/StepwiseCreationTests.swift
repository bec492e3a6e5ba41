import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
@testable import SyncStoreSQLite
import SyncTestKit
import Synchronization
import Testing

/// A large project is stored in steps, but appears completely or not at all.
@Suite struct StepwiseCreationTests {
    private struct End: Error {}

    private let folder: TemporaryFolder
    private let registry: Registry
    private let bench: Workbench<SQLiteStore>
    private let guest: SQLiteStore
    private static let pace = CreationPace(rowsPerStep: 7, givesWay: false)

    init() async throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
        bench = try await Workbench(
            SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()), registry
        )
        guest = try SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .guest, mender: DraftMender())
    }

    private var owner: Caller { bench.callers[.owner]! }

    /// Rows of every kind. Children come before their parents, so the import has to find an order.
    private func content(_ id: String = "large") -> ProjectContent {
        let tasks: [[String: JSON]] = (0..<40).reversed().map { number in
            [
                "id": .string("\(id)-t\(number)"), "name": .string("T\(number)"),
                "parent": number % 3 > 0 ? .string("\(id)-t\(number - 1)") : nil,
                "sprint": .string("\(id)-s"), "assignee": number == 4 ? .int(owner.userID) : nil,
            ]
        }
        let links: [[String: JSON]] = (1..<40).map { number in
            [
                "id": .string("\(id)-d\(number)"), "predecessor": .string("\(id)-t\(number - 1)"),
                "successor": .string("\(id)-t\(number)"),
            ]
        }
        let rows: [String: [[String: JSON]]] = [
            "projects": [
                ["id": .string(id), "name": "Large", "start_date": "2026-01-05", "calendar": .string("\(id)-c")]
            ],
            "calendars": [["id": .string("\(id)-c"), "name": "Standard"]],
            "sprints": [
                ["id": .string("\(id)-s"), "name": "S", "start_date": "2026-01-05", "finish_date": "2026-01-16"]
            ],
            "sprint_retros": [["id": .string("\(id)-r"), "sprint": .string("\(id)-s")]],
            "risks": [
                [
                    "id": .string("\(id)-k"), "title": "R", "probability": 1, "impact": 1,
                    "task_ids": [.string("\(id)-t1"), .string("\(id)-t9")],
                ]
            ],
            "tasks": tasks, "dependencies": links,
        ]
        return ProjectContent(
            rows: rows, owner: owner.userID, members: [bench.callers[.member]!.userID: .member])
    }

    private func service<Store: SyncStore>(on store: Store) -> ProjectService<Store> {
        ProjectService(
            store: store, registry: registry, clock: WallClock { Workbench<Store>.noon },
            newID: NewID.counted(prefix: "new-"))
    }

    /// All rows except memberships, ordered by id.
    private func rows(_ project: String) async throws -> [String] {
        let names = Set(registry.collections.map(\.name)).subtracting(["memberships"])
        let rows = try await ProjectExport(store: bench.store, registry: registry).rows(of: project, in: names).rows
        return rows.flatMap { name, list in
            list.map { row in
                let text = JSON.object(row.filter { $0.key != "short_id" }).text
                return name + text.replacing("\(project)-", with: "").replacing("\"id\":\"\(project)\"", with: "")
            }
        }.sorted()
    }

    private func requireSound() throws {
        let report = try DatabaseCheck(path: folder.path("t.db")).run()
        #expect(report.isSound, "\(report.text)")
    }

    @Test func aProjectInStepsIsAsOneInOneTransaction() async throws {
        _ = try await bench.projects.create(content("whole"))
        let told = Mutex<[CreationProgress]>([])
        _ = try await service(on: guest).create(content(), pace: Self.pace) { step in told.withLock { $0.append(step) }
        }
        #expect(try await rows("large") == rows("whole"))
        let (large, whole) = try await bench.store.read { (try $0.project("large"), try $0.project("whole")) }
        #expect(large?.head == whole?.head && large?.head == SyncSeq(1))
        #expect(large?.lastShortID == whole?.lastShortID && large?.isDeleted == false)
        let counts = try await bench.store.read { (try $0.counts(project: "large"), try $0.counts(project: "whole")) }
        #expect(counts.0 == counts.1)
        #expect(told.withLock { $0 }.last == .stored(rows: 83, of: 83))
        try requireSound()
    }

    @Test func ordersOfAChunkTellParentsFirst() async throws {
        _ = try await service(on: guest).create(content(), pace: CreationPace(rowsPerStep: 1, givesWay: false))
        #expect(try await rows("large").count == 84)
        try requireSound()
    }

    @Test func untilTheLastStepItIsNobodysProject() async throws {
        let (store, caller, path) = (bench.store, owner, folder.path("t.db"))
        let looks = Mutex(0)
        let hooked = HookedStore(guest) { write in
            guard write > 1 else { return }
            let error = await #expect(throws: Problem.self) {
                try await store.read { _ = try ProjectAccess(caller, project: "large", in: $0) }
            }
            #expect(error?.code == .projectDeleted)
            let mine = try await store.read { try $0.projects(of: nil, after: "", limit: 10) }
            #expect(mine.map(\.id) == ["p1"])
            let report = try DatabaseCheck(path: path).run()
            #expect(report.isSound, "\(report.text)")
            looks.withLock { $0 += 1 }
        }
        _ = try await service(on: hooked).create(content(), pace: Self.pace)
        #expect(looks.withLock { $0 } > 10)
        let project = try await store.read { try ProjectAccess(caller, project: "large", in: $0).role }
        #expect(project == .owner)
    }

    /// The lock is held for one step at a time, and not while rows are checked.
    @Test func othersWriteBetweenTheSteps() async throws {
        let (bench, owner) = (bench, owner)
        let hooked = HookedStore(guest) { write in
            try await bench.edit { try $0.insert("tasks", "beside-\(write)", ["name": "B"]) }
        }
        _ = try await service(on: hooked).create(content(), pace: Self.pace)
        let beside = try await rows("p1").count { $0.contains("beside") }
        #expect(beside > 10)
        #expect(try await rows("large").count == 84)
        _ = owner
        try requireSound()
    }

    @Test(arguments: [2, 3, 8, 14, 15]) func anInterruptedCreationLeavesNothing(write: Int) async throws {
        let hooked = HookedStore(guest) { if $0 >= write { throw End() } }
        await #expect(throws: End.self) {
            _ = try await service(on: hooked).create(content(), pace: Self.pace)
        }
        try requireSound()
        let other = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .guest, mender: DraftMender())
        #expect(try await other.read { try $0.project("large") } != nil, "a guest leaves what may be on the way")
        let copy = folder.path("copy.db")
        _ = try Backup(of: folder.path("t.db"), to: copy).run()
        let server = try SQLiteStore(path: copy, registry: registry, opener: .server, mender: DraftMender())
        #expect(try await server.read { try $0.project("large") } == nil)
        #expect(try await server.read { try $0.record(RowKey("tasks", "large-t1")) } == nil)
        let report = try DatabaseCheck(path: copy).run()
        #expect(report.isSound, "\(report.text)")
    }

    @Test(arguments: [1, 2, 9, 15]) func aStepThatFailsOnceCostsNothing(write: Int) async throws {
        let hooked = HookedStore(guest) { if $0 == write { throw End() } }
        _ = try await service(on: hooked).create(content(), pace: Self.pace)
        #expect(try await rows("large").count == 84)
        try requireSound()
    }

    @Test func anIDThatIsTakenMeanwhileIsRefusedAndNothingStored() async throws {
        let bench = bench
        let hooked = HookedStore(guest) { write in
            guard write == 5 else { return }
            // One of the last rows, because tasks are stored in the order of their ids.
            try await bench.edit { try $0.insert("tasks", "large-t8", ["name": "Mine"]) }
        }
        let error = await #expect(throws: Problem.self) {
            _ = try await service(on: hooked).create(content(), pace: Self.pace)
        }
        #expect(error?.code == .idUnavailable)
        #expect(try await bench.store.read { try $0.project("large") } == nil)
        #expect(try await bench.store.read { try $0.record(RowKey("tasks", "large-t1")) } == nil)
        try requireSound()
    }

    @Test func badRowsAreRefusedBeforeAnythingIsWritten() async throws {
        var bad = content()
        bad.rows["dependencies"]?.append(["id": "x", "predecessor": "large-t9", "successor": "large-t1"])
        let hooked = HookedStore(guest) { _ in Issue.record("nothing is to be written") }
        await #expect(throws: Problem.self) { _ = try await service(on: hooked).create(bad, pace: Self.pace) }
    }

    @Test func aDeletedProjectIsNoUnfinishedOne() async throws {
        _ = try await bench.projects.create(content())
        try await bench.items.delete("large", in: registry.projects, if: .none, by: owner)
        try await bench.store.write { try $0.forgetUnfinished("large") }
        try await bench.store.write { try $0.forgetUnfinished("p1") }
        #expect(try await bench.store.read { try $0.project("large")?.isDeleted } == true)
        #expect(try await bench.store.read { try $0.project("p1") } != nil)
    }
}
