import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// The body of a write may run twice. Nothing outside the transaction may happen twice.
@Suite struct RerunTests {
    private let folder: TemporaryFolder
    private let bench: Workbench<RerunningStore<SQLiteStore>>

    init() async throws {
        folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        bench = try await Workbench(RerunningStore(store), registry)
    }

    private func upload(_ number: Int, with limits: UploadLimits) async throws {
        let changes: JSON = ["tasks": ["created": [["id": .string("t\(number)"), "name": "T"]]]]
        let batch = "00000000-0000-4000-8000-00000000000\(number)"
        let body: JSON = ["client_batch_id": .string(batch), "changes": changes]
        let request = try UploadRequest(
            project: bench.project, body: body, registry: bench.registry, maximumRows: 500)
        let service = UploadService(
            store: bench.store, registry: bench.registry, clock: WallClock { Instant(milliseconds: 0) },
            retention: UploadRetention(batches: .seconds(3600), history: .seconds(3600), inbox: .seconds(3600)),
            limits: limits)
        _ = try await service.upload(request, by: bench.caller(.member))
    }

    @Test(arguments: [(3, 0), (0, 3)]) func anUploadCountsOnceAgainstTheLimits(project: Int, user: Int) async throws {
        let limits = UploadLimits(perProject: project, perUser: user, clock: WallClock { Instant(milliseconds: 0) })
        for number in 0..<3 { try await upload(number, with: limits) }
        let error = await #expect(throws: Problem.self) { try await upload(3, with: limits) }
        #expect(error?.code == .rateLimited)
    }

    @Test(arguments: [UInt64(71), 72]) func randomWritesLeaveAsManyRowsAsElsewhere(seed: UInt64) async throws {
        let once = try await Workbench(ModelStore(registry: bench.registry), bench.registry)
        var (random, other) = (SeededGenerator(seed: seed), SeededGenerator(seed: seed))
        var (writes, otherWrites) = (RandomWrites(), RandomWrites())
        for _ in 0..<60 {
            try await bench.perform(writes.next(&random))
            try await once.perform(otherWrites.next(&other))
        }
        let (counts, expected) = (try await counts(bench), try await counts(once))
        #expect(counts == expected, "seed \(seed)")
        #expect(try await bench.brokenInvariants() == [], "seed \(seed)")
    }

    /// The number of rows of each collection. The rows themselves differ, because the server makes random ids.
    private func counts<Store: SyncStore>(_ bench: Workbench<Store>) async throws -> [String: RowCounts] {
        try await bench.store.read { try $0.counts(project: bench.project) }
    }
}
