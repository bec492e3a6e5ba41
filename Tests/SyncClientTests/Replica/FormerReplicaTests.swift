import Foundation
import GRDB
import SyncProtocol
import Testing

@testable import SyncClientCore

/// Replicas that the client of a6c6269c wrote: `Fixtures/settled.sql` after a pull, with an edit that was not sent, and
/// `open.sql` killed within one. They are dumps of its files, and are never made again.
@Suite struct FormerReplicaTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func replica(_ name: String) throws -> Replica {
        let file = URL(filePath: #filePath).appending(path: "../../Fixtures/\(name).sql").standardizedFileURL
        let dump = try String(contentsOf: file, encoding: .utf8)
        try DatabaseQueue(path: scratch.path).writeWithoutTransaction { try $0.execute(sql: dump) }
        return try Replica(existing: scratch.path)
    }

    /// An app that was updated must not be blank without a network.
    @Test func oneWithoutAnOpenDrainIsSettledAtItsWatermark() throws {
        let replica = try replica("settled")
        let state = try replica.state()
        #expect(state.since == SyncSeq(5) && state.settled == state.since && state.drain == nil)
        #expect(state.progress == nil && state.asked == state.since)
        #expect(try replica.count(of: "tasks") == 17)
        #expect(try replica.unsentCount() == 1)
        #expect(try replica.rows(RowQuery("tasks", where: ["name": .equals("Edited here")])).count == 1)
    }

    @Test func anOpenDrainIsFinishedInPlace() throws {
        let replica = try replica("open")
        let state = try replica.state()
        #expect(state.since == .zero && state.settled == nil && !state.hasKept)
        let drain = try #require(state.drain)
        #expect(drain.timestamp == SyncSeq(5) && drain.rows == 12 && drain.total == 23)
        #expect(state.progress == PullProgress(rows: 12, total: 23))
        #expect(try replica.count(of: "tasks") == 8)
    }
}
