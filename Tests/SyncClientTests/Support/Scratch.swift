import Foundation
import GRDB
import SyncProtocol
import Synchronization

@testable import SyncClient

/// A folder of a test's own, gone with the last reference.
final class Scratch: Sendable {
    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "sync-client-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var path: String { folder + "/replica.sqlite" }

    func replica(project: String = "p") throws -> Replica { try Replica(path: path, project: project) }

    /// With the fixture's tables.
    func replicaWithTables() throws -> Replica {
        let replica = try replica()
        _ = try replica.adopt(Fixture.schema)
        return replica
    }
}

/// Time that passes only by being slept through.
final class ManualClock: Sendable {
    private let time = Mutex(Duration.zero)
    private let naps = Mutex<[Duration]>([])
    private let batches = Counter()

    var now: Duration { time.withLock { $0 } }
    var slept: [Duration] { naps.withLock { $0 } }

    func environment(seed: UInt64 = 1) -> SyncEnvironment {
        SyncEnvironment(
            now: { self.now },
            sleep: { duration in
                try Task.checkCancellation()
                self.naps.withLock { $0.append(duration) }
                self.time.withLock { $0 += duration }
            },
            wallClock: { .test },
            seed: { seed }, newBatchID: { "00000000-0000-4000-8000-\(100_000_000_000 + self.batches.next())" })
    }
}

extension Instant {
    static var test: Self { Instant(milliseconds: 1_700_000_000_000) }
}

extension Replica {
    /// Stores a page as a pull would, at whatever state the replica is.
    @discardableResult
    func take(_ page: JSON, schema: ServerSchema = Fixture.schema) throws -> Receipt? {
        try apply(Fixture.read(page, schema: schema), of: schema, after: state(), at: .test)
    }

    /// Drops the drain, and with `resync` the watermark, at whatever state the replica is.
    @discardableResult
    func reset(resync: Bool) throws -> ReplicaState? { try reset(resync: resync, after: state()) }

    func row(_ id: String, in collection: String = "tasks") throws -> JSON? {
        try rows(of: collection).first { $0["id"]?.string == id }
    }

    func ids(of collection: String = "tasks") throws -> [String] {
        try rows(of: collection).compactMap { $0["id"]?.string }
    }

    /// What an editing command will do.
    func edit(_ sql: String) throws { try write { try $0.execute(sql: sql) } }
}
