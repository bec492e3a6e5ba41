import Foundation
import GRDB
import SyncProtocol
import Synchronization

@testable import SyncClientCore

/// A temporary folder of one test. It is removed with the last reference to this object.
final class Scratch: Sendable {
    let folder: String

    init() throws {
        folder = NSTemporaryDirectory() + "sync-client-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    var path: String { folder + "/replica.sqlite" }

    func replica(project: String = "p", app: JSON? = nil) throws -> Replica {
        try Replica(path: path, scope: .project(project), schema: app?["collections"]?.text)
    }

    /// A replica with the fixture's tables.
    func replicaWithTables() throws -> Replica {
        let replica = try replica()
        _ = try replica.adopt(Fixture.schema)
        return replica
    }
}

/// A clock on which time passes only while somebody sleeps.
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
    /// Stores a page as a pull would, whatever state the replica is in.
    @discardableResult
    func take(_ page: JSON, schema: ServerSchema = Fixture.schema) throws -> Receipt? {
        try apply(Fixture.read(page, schema: schema), of: schema, after: state(), at: .test)
    }

    /// Drops the drain, and with `resync` the watermark too, whatever state the replica is in.
    @discardableResult
    func reset(resync: Bool) throws -> ReplicaState? { try reset(resync: resync, after: state()) }

    func row(_ id: String, in collection: String = "tasks") throws -> JSON? {
        try rows(of: collection).first { $0["id"]?.string == id }
    }

    func ids(of collection: String = "tasks") throws -> [String] {
        try rows(of: collection).compactMap { $0["id"]?.string }
    }

    /// Edits the file as an editing command would.
    func edit(_ sql: String) throws { try write { try $0.execute(sql: sql) } }
}
