import Foundation
import GRDB
import SyncProtocol
import Testing

@testable import SyncClientCore

/// The file: which project it belongs to, files of other programs, several writers.
@Suite struct ReplicaTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test func startsEmptyAndRemembersItsProject() throws {
        let state = try scratch.replica(project: "p").state()
        #expect(state.project == "p" && state.since == .zero && state.drain == nil && state.schemaVersion == nil)
        #expect(try Replica(existing: scratch.path).state() == state)
    }

    @Test func refusesAnotherProjectAndSaysWhatToDo() throws {
        _ = try scratch.replica(project: "p")
        let expected = ReplicaError.otherProject(path: scratch.path, bound: "p", asked: "q")
        #expect(throws: expected) { try scratch.replica(project: "q") }
        #expect("\(expected)".contains("Name another file"))
    }

    @Test func pullerRefusesAnotherProjectsReplica() throws {
        let replica = try scratch.replica(project: "p")
        let remote = try Remote(url: "http://localhost", project: "q", token: "t")
        #expect(throws: ReplicaError.otherProject(path: scratch.path, bound: "p", asked: "q")) {
            try Syncer(remote: remote, transport: FakeServer(), replica: replica)
        }
    }

    @Test func leavesForeignDatabasesAlone() throws {
        try DatabaseQueue(path: scratch.path).write { try $0.execute(sql: "CREATE TABLE mine (a)") }
        #expect(throws: ReplicaError.notAReplica(path: scratch.path)) { try scratch.replica() }
        #expect(throws: ReplicaError.notAReplica(path: scratch.path)) { try Replica(existing: scratch.path) }
    }

    @Test func refusesFilesThatAreNoDatabase() throws {
        try Data(repeating: 0x41, count: 5000).write(to: URL(fileURLWithPath: scratch.path))
        #expect(throws: ReplicaError.notAReplica(path: scratch.path)) { try scratch.replica() }
    }

    @Test func refusesNewerFormats() throws {
        try scratch.replica().edit("PRAGMA user_version = 99")
        #expect(throws: ReplicaError.newerFormat(path: scratch.path)) { try scratch.replica() }
    }

    @Test func missingFileIsNotMade() throws {
        #expect(throws: ReplicaError.missing(path: scratch.path)) { try Replica(existing: scratch.path) }
        #expect(!FileManager.default.fileExists(atPath: scratch.path))
    }

    @Test func usesWriteAheadLogAndABusyTimeout() throws {
        let replica = try scratch.replica()
        #expect(try replica.read { try String.fetchOne($0, sql: "PRAGMA journal_mode") } == "wal")
        #expect(try replica.write { try Int.fetchOne($0, sql: "PRAGMA busy_timeout") } == 10_000)
        #expect(try replica.write { try Int.fetchOne($0, sql: "PRAGMA synchronous") } == 1)
    }

    @Test func lockKeepsASecondWriterOutUntilItsTimeout() throws {
        let first = FileLock(guarding: scratch.folder + "/file")
        var second = first
        second.timeout = .zero
        try first.withLock {
            _ = #expect(throws: ReplicaError.busy(path: first.file)) { try second.withLock {} }
        }
        try second.withLock {}
    }

    @Test func outdatedStateWritesNothing() throws {
        let replica = try scratch.replicaWithTables()
        let known = try replica.state()
        let page = Fixture.page(Fixture.tasks(updated: [["id": "a", "server_version": 1, "name": "A"]]), cursor: "c")
        _ = try scratch.replica().take(page)
        let receipt = try replica.apply(Fixture.read(Fixture.page()), of: Fixture.schema, after: known, at: .test)
        #expect(receipt == nil)
        #expect(try replica.reset(resync: true, after: known) == nil)
        #expect(try replica.state().drain?.cursor == "c")
        #expect(try replica.ids() == ["a"])
    }
}
