import Foundation
import NIOCore
@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// A stream equals a page without limits, byte for byte, however it is cut into chunks.
@Suite struct StreamDrainTests {
    @Test(arguments: [1, 2, 3, 4] as [UInt64]) func anSQLiteStreamEqualsThePages(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        try await compare(Workbench(store, registry), seed: seed)
    }

    @Test(arguments: [1, 2] as [UInt64]) func aModelStreamEqualsThePages(seed: UInt64) async throws {
        let registry = try Registry.builtIn()
        try await compare(Workbench(ModelStore(registry: registry), registry), seed: seed)
    }

    private func compare<Store: SyncStore>(_ bench: Workbench<Store>, seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var writes = RandomWrites()
        for _ in 0..<80 { try await bench.perform(writes.next(&random)) }
        let state = try await bench.store.read { try $0.project(bench.project)! }
        let (horizon, head) = (state.horizon.rawValue, state.head.rawValue)
        for role in Role.allCases where writes.roles[role] != nil {
            for since in [0, horizon, head, Int64.random(in: horizon...head, using: &random)] {
                let limits = StreamSettings(
                    deadline: .endless, chunkBytes: random.pick([1, 500, 5000, 1 << 20])!)
                let pulls = try await PullService(store: bench.store, registry: bench.registry, limits: limits)
                let request = try request(since: since, bench, &random)
                let stream = try await pulls.stream(request, for: bench.caller(role))
                let page = try await pulls.page(request, for: bench.caller(role))
                #expect(try await stream.all() == page.body, "seed \(seed), \(role), since \(since)")
                #expect(stream.head == page.head)
                try await comparePages(request, bench, role, page.body)
            }
        }
    }

    private func request<Store: SyncStore>(
        since: Int64, _ bench: Workbench<Store>, _ random: inout SeededGenerator
    ) throws -> PullRequest {
        var request = PullRequest(project: bench.project, since: SyncSeq(since), pageSize: 1_000_000)
        request.encoding = random.pick(WireEncoding.allCases)!
        request.created = random.below(2) == 0 ? .ofOthers : .none
        let migration = random.pick([
            "null", #"{"tables":["tasks","sprint_retros"]}"#, #"{"columns":[{"table":"tasks","columns":["notes"]}]}"#,
        ])!
        request.migration = try PullMigration(parsing: migration, registry: bench.registry)
        return request
    }

    /// Small pages together have the same rows as one large page.
    private func comparePages<Store: SyncStore>(
        _ request: PullRequest, _ bench: Workbench<Store>, _ role: Role, _ whole: ByteBuffer
    ) async throws {
        var (request, rows) = (request, Set<JSON>())
        request.pageSize = 7
        repeat {
            let page = try JSON(parsing: try await bench.pulls.page(request, for: bench.caller(role)).body.bytes)
            rows.formUnion(page.named)
            request.cursor = page["next_cursor"]?.string
        } while request.cursor != nil
        #expect(rows == Set(try JSON(parsing: whole.bytes).named))
    }

    @Test func writesDuringAStreamComeWithTheNextOne() async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        let bench = try await Workbench(store, registry)
        try await bench.edit { editor in
            for number in 0..<100 { try editor.insert("tasks", "t\(number)", ["name": "T"]) }
        }
        let pulls = try await PullService(
            store: store, registry: registry, limits: StreamSettings(deadline: .endless, chunkBytes: 1000))
        let stream = try await pulls.stream(PullRequest(project: bench.project), for: bench.caller(.owner))
        try await bench.edit { editor in
            try editor.insert("tasks", "new", ["name": "N"])
            try editor.delete("tasks", "t99")
        }
        let first = try JSON(parsing: try await stream.all().bytes)
        #expect(first.ids("tasks", "updated").count == 100)
        #expect(first["timestamp"]?.int == stream.head)
        let next = try await pulls.stream(
            PullRequest(project: bench.project, since: SyncSeq(stream.head)), for: bench.caller(.owner))
        let second = try JSON(parsing: try await next.all().bytes)
        #expect(second.ids("tasks", "updated") == ["new"])
        #expect(second["changes"]?["tasks"]?["deleted"] == ["t99"])
    }

    /// The log grows with every write while a client reads slowly.
    @Test(.timeLimit(.minutes(20))) func aStreamDuringWhichTheLogGrowsTooMuchIsCut() async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender(),
            longReadGrowth: 1 << 20)
        let bench = try await Workbench(store, registry)
        let notes = JSON.string(String(repeating: "n", count: 100_000))
        try await bench.edit { editor in
            for number in 0..<20 { try editor.insert("tasks", "t\(number)", ["name": "T", "notes": notes]) }
        }
        let hold = HeldDeadline()
        let pulls = try await PullService(
            store: store, registry: registry, limits: StreamSettings(deadline: hold.deadline, chunkBytes: 1000))
        let stream = try await pulls.stream(PullRequest(project: bench.project), for: bench.caller(.owner))
        await hold.untilBlocked()
        for round in 0..<10 {
            try await bench.edit { editor in
                for number in 0..<20 {
                    try editor.insert("tasks", "\(round)-\(number)", ["name": "T", "notes": notes])
                }
            }
        }
        await hold.untilReleased()
        await #expect(throws: StreamCut.outgrown) { while try await !stream.next().isLast {} }
        // The next stream begins, and the log is moved by the write after the one that follows the cut.
        for id in ["last", "first"] { try await bench.edit { try $0.insert("tasks", id, ["name": "T"]) } }
        let log = try FileManager.default.attributesOfItem(atPath: folder.path("t.db-wal"))[.size] as? Int
        #expect(try #require(log) <= 16 << 20)
        let head = try await store.read { try $0.project(bench.project)!.head }
        let delta = try await pulls.stream(
            PullRequest(project: bench.project, since: head), for: bench.caller(.owner))
        #expect(delta.isEmpty)
    }

    @Test func aStreamThatNobodyTakesEndsItsTransaction() async throws {
        let registry = try Registry.builtIn()
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        try await bench.edit { editor in
            for number in 0..<100 { try editor.insert("tasks", "t\(number)", ["name": "T"]) }
        }
        let hold = HeldDeadline()
        let pulls = try await PullService(
            store: bench.store, registry: registry,
            limits: StreamSettings(deadline: hold.deadline, places: 1, chunkBytes: 1000))
        var stream: PullStream? = try await pulls.stream(
            PullRequest(project: bench.project), for: bench.caller(.owner))
        await hold.untilBlocked()
        #expect(stream?.isWhole == false)
        stream = nil
        await hold.untilReleased()
    }
}

extension PullStream {
    /// All bytes up to the end.
    fileprivate func all() async throws -> ByteBuffer {
        var (bytes, isLast) = (first, isWhole)
        while !isLast {
            var chunk = ByteBuffer()
            (chunk, isLast) = try await next()
            bytes.writeBuffer(&chunk)
        }
        return bytes
    }
}

extension ByteBuffer {
    fileprivate var bytes: ByteBufferView { readableBytesView }
}

extension JSON {
    fileprivate func ids(_ collection: String, _ bucket: String) -> [String] {
        (self["changes"]?[collection]?[bucket]?.array ?? []).compactMap { $0["id"]?.string }
    }

    /// Every row and tombstone, with its collection and bucket.
    fileprivate var named: [JSON] {
        (self["changes"]?.object ?? [:]).flatMap { name, buckets in
            (buckets.object ?? [:]).flatMap { bucket, rows in
                (rows.array ?? []).map { [.string(name), .string(bucket), $0] }
            }
        }
    }
}
