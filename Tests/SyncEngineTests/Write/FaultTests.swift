import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// A batch that fails leaves nothing in the database, wherever it failed: `docs/protocol.md#retries`.
@Suite struct FaultTests {
    private static let batch = "00000000-0000-4000-8000-000000000001"

    @Test func aBatchThatFailsAtAnyCallOfTheStoreLeavesNothing() async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        let bench = try await Workbench(store, registry)
        try await bench.edit { editor in
            try editor.insert("tasks", "old", ["name": "Old"])
            try editor.insert("tasks", "child", ["name": "Child", "parent": "old"])
            try editor.insert("tasks", "kept", ["name": "Kept"])
        }
        let before = try await picture(bench)
        var failures = 0
        for call in 1..<1000 {
            do {
                let answer = try await upload(to: FaultyStore(store, failingCall: call), bench)
                #expect(!answer.isReplay)
                break
            } catch is FaultyStore<ModelStore>.Fault {
                failures += 1
                #expect(try await picture(bench) == before, "failing call \(call)")
            }
        }
        #expect(failures > 15)
        #expect(try await picture(bench) != before)
        #expect(try await upload(to: FaultyStore(store, failingCall: .max), bench).isReplay)
        #expect(try await bench.brokenInvariants().isEmpty)
    }

    /// Each task is linked to the one before it and is its child. The
    /// number of calls grows with the rows, not with pairs of rows.
    @Test func aDeepPlanOfChainedLinksTakesALinearNumberOfCalls() async throws {
        let registry = try Registry.builtIn()
        let store = ModelStore(registry: registry)
        let bench = try await Workbench(store, registry)
        let count = 150
        var rows: [String: [[String: JSON]]] = [
            "projects": [["id": "chain", "name": "Chain", "start_date": "2026-01-05", "calendar": "chain-c"]],
            "calendars": [["id": "chain-c", "name": "Standard"]],
        ]
        for number in 0..<count {
            let before: JSON = number == 0 ? nil : .string("t\(number - 1)")
            rows["tasks", default: []].append(["id": .string("t\(number)"), "name": "T", "parent": before])
            guard number > 0 else { continue }
            rows["dependencies", default: []].append([
                "id": .string("d\(number)"), "predecessor": before, "successor": .string("t\(number)"),
            ])
        }
        let content = ProjectContent(rows: rows, owner: bench.caller(.owner).userID, members: [:])
        let service = ProjectService(
            store: FaultyStore(store, failingCall: 20 * count), registry: registry,
            clock: WallClock { Workbench<ModelStore>.noon })
        _ = try await service.create(content)
    }

    private func upload<Store: SyncStore>(
        to store: FaultyStore<Store>, _ bench: Workbench<Store>
    ) async throws -> UploadAnswer {
        let changes: JSON = [
            "created": [["id": "new", "name": "New", "parent": "kept"]],
            "updated": [["id": "kept", "notes": "Edited"]],
            "deleted": ["old"],
        ]
        let body: JSON = ["client_batch_id": .string(FaultTests.batch), "changes": ["tasks": changes]]
        let request = try UploadRequest(
            project: bench.project, body: body, registry: bench.registry, maximumRows: 500)
        let service = UploadService(
            store: store, registry: bench.registry, clock: WallClock { Workbench<Store>.noon },
            retention: UploadRetention(batches: .seconds(3600), history: .seconds(3600), inbox: .seconds(3600)),
            limits: .none)
        return try await service.upload(request, by: bench.caller(.member))
    }

    /// Everything that a client could see, and the record of the batch.
    private func picture<Store: SyncStore>(_ bench: Workbench<Store>) async throws -> [String] {
        let owner = bench.caller(.owner)
        let rows = try await bench.visibleRows(to: owner, as: .owner).map { "\($0.key) \($0.value.text)" }.sorted()
        return try await bench.store.read { transaction in
            let head = try transaction.project(bench.project)!.head
            let key = IdempotencyKey.batch(
                FaultTests.batch, project: bench.project, userID: bench.caller(.member).userID)
            let answer = try transaction.answer(to: key)
            return rows + ["head \(head)", "answer \(String(describing: answer))"]
        }
    }
}
