import Dispatch
import Foundation
import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
@testable import SyncStoreSQLite
import SyncTestKit
import Testing

/// Writes that arrive while another one runs. The first one is held up until all others wait.
@Suite struct WriteQueueTests {
    private struct Refusal: Error {}

    private let folder: TemporaryFolder
    private let registry: Registry

    init() throws {
        folder = try TemporaryFolder()
        registry = try Registry.builtIn()
    }

    private func store(groupsWrites: Bool = true) throws -> SQLiteStore {
        try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender(),
            groupsWrites: groupsWrites)
    }

    /// Runs the writes as one queue after a first write, and returns what each threw.
    private func queue(
        _ store: SQLiteStore, _ writes: [@Sendable (any WriteTransaction) throws -> Void]
    ) async throws -> [(any Error)?] {
        let gate = DispatchSemaphore(value: 0)
        let front = Task {
            try await store.write { _ in gate.wait() }
        }
        // Nobody works through the queue before the first write has left it.
        while !store.writes.isHeldUp { await Task.yield() }
        return try await withThrowingTaskGroup(of: (Int, (any Error)?).self) { group in
            for (number, write) in writes.enumerated() {
                // One after the other, so the order in the queue is known.
                let before = store.writes.count
                group.addTask {
                    do {
                        try await store.write(write)
                        return (number, nil)
                    } catch {
                        return (number, error)
                    }
                }
                while store.writes.count <= before { await Task.yield() }
            }
            // Twice, because the first write runs again if its transaction was lost.
            for _ in 0..<2 { gate.signal() }
            try await front.value
            var errors = [(any Error)?](repeating: nil, count: writes.count)
            for try await (number, error) in group { errors[number] = error }
            return errors
        }
    }

    /// The number of commits in the write-ahead log: frames that state the size of the database.
    /// https://sqlite.org/fileformat2.html#the_write_ahead_log
    private func commits() throws -> Int {
        let log = try Data(contentsOf: URL(filePath: folder.path("t.db-wal")))
        let pageSize = log[8..<12].reduce(0) { $0 << 8 | Int($1) }
        return stride(from: 32, to: log.count, by: 24 + pageSize).filter { frame in
            log[(frame + 4)..<(frame + 8)].contains { $0 != 0 }
        }.count
    }

    private func secrets(_ store: SQLiteStore, _ names: [String]) async throws -> [String] {
        try await store.read { transaction in try names.filter { try transaction.secret($0) != nil } }
    }

    @Test(arguments: [true, false]) func waitingWritesShareACommit(groups: Bool) async throws {
        let store = try store(groupsWrites: groups)
        let before = try commits()
        let names = (0..<20).map { "s\($0)" }
        let errors = try await queue(store, names.map { name in { try $0.setSecret(name, "x") } })
        #expect(errors.allSatisfy { $0 == nil })
        #expect(try await secrets(store, names) == names)
        // The first group may be the first write alone, which wrote nothing, or may include the others.
        let made = try commits() - before
        #expect(groups ? made <= 2 : made == 20)
    }

    @Test func oneThatThrowsUndoesItselfAlone() async throws {
        let store = try store()
        let errors = try await queue(
            store,
            [
                { try $0.setSecret("a", "x") },
                {
                    try $0.setSecret("b", "x")
                    throw Refusal()
                },
                { try $0.setSecret("c", "x") },
                // The effect of the second write is gone for those after it.
                { if try $0.secret("b") == nil { try $0.setSecret("d", "x") } },
            ])
        #expect(errors.map { $0 == nil } == [true, false, true, true])
        #expect(errors[1] is Refusal)
        #expect(try await secrets(store, ["a", "b", "c", "d"]) == ["a", "c", "d"])
    }

    /// Foreign keys are checked at the commit, which all writes share.
    @Test func aReferenceThatIsLeftDanglingIsItsOwnersFaultAlone() async throws {
        let store = try store()
        let bench = try await Workbench(store, registry)
        let collection = registry["tasks"]!
        var values = collection.places.fallbacks
        values[collection.position("name")!] = "orphan"
        values[collection.position("parent")!] = "nobody"
        for position in collection.places.serverValued { values[position] = .string(bench.project) }
        let orphan = StoredRow(
            id: "orphan", project: bench.project, values: values, version: ServerVersion(1), seq: SyncSeq(5),
            contentSeq: SyncSeq(5), createdSeq: SyncSeq(5), insertedBy: nil, insertedAt: nil, isDeleted: false,
            isGated: false,
            gateSeq: SyncSeq(5), gateChanges: [])
        let errors = try await queue(
            store,
            [
                { try $0.setSecret("a", "x") }, { try $0.insert([orphan], into: collection) },
                { try $0.setSecret("b", "x") },
            ])
        #expect(errors.map { $0 == nil } == [true, false, true])
        #expect(try await secrets(store, ["a", "b"]) == ["a", "b"])
        #expect(try await store.read { try $0.record(RowKey("tasks", "orphan")) } == nil)
    }

    /// A full disk ends the whole transaction. The writes before the one that found it are tried again one by one.
    @Test func aLostTransactionIsNobodysElsesLoss() async throws {
        let store = try store()
        let pages = try await store.pool.writeWithoutTransaction { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count")!
            return try Int.fetchOne(db, sql: "PRAGMA max_page_count = \(pages + 10)")! - 10
        }
        #expect(pages > 0)
        let large = String(repeating: "x", count: 1 << 20)
        let errors = try await queue(
            store,
            [
                { try $0.setSecret("a", "x") }, { try $0.setSecret("b", large) }, { try $0.setSecret("c", "x") },
            ])
        #expect(errors.map { ($0 as? Problem)?.code } == [nil, .diskFull, .diskFull], "from then on the disk is full")
        #expect(try await secrets(store, ["a", "b", "c"]) == ["a"])
    }

    @Test func aFullGroupLeavesTheRestToTheNext() async throws {
        let store = try store()
        let before = try commits()
        let errors = try await queue(
            store,
            (0..<4).map { number in
                { transaction in
                    for row in 0..<WriteQueue.fullGroup { try transaction.setSecret("\(number)-\(row)", "x") }
                }
            })
        #expect(errors.allSatisfy { $0 == nil })
        let made = try commits() - before
        #expect(made == 4)
    }
}
