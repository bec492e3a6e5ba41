import SyncProtocol
import Testing

@testable import SyncClientCore

/// The ids of rows that change, as a reader hears of them.
@Suite struct RowChangesTests {
    private let scratch: Scratch
    private let replica: Replica

    init() throws {
        scratch = try Scratch()
        replica = try scratch.replicaWithTables()
        for id in ["a", "b", "c"] { try replica.insert(["name": .string(id)], into: "tasks", id: id) }
    }

    private func changes(unsettled: Bool = false) -> RowChanges {
        replica.changes(of: "tasks", unsettled: unsettled, look: .milliseconds(1))
    }

    @Test func editsOfThisProcessAndOfAnotherAreTold() async throws {
        var ids = changes().makeAsyncIterator()
        #expect(try await ids.next() == ["a", "b", "c"])
        try replica.update("a", in: "tasks", with: ["name": "A"])
        #expect(try await ids.next() == ["a"])
        let other = try Replica(existing: replica.path)
        try other.insert(["name": "d"], into: "tasks", id: "d")
        #expect(try await ids.next() == ["d"])
        try other.delete("b", from: "tasks")
        #expect(try await ids.next() == ["b"])
    }

    @Test func whatHappensWhileTheReaderIsBusyIsOneElement() async throws {
        var ids = changes().makeAsyncIterator()
        _ = try await ids.next()
        try replica.update("a", in: "tasks", with: ["name": "A"])
        try replica.insert(["name": "d"], into: "tasks", id: "d")
        try replica.delete("c", from: "tasks")
        try replica.update("a", in: "tasks", with: ["name": "AA"])
        #expect(try await ids.next() == ["a", "c", "d"])
    }

    /// Swift takes both names for equal. Their bytes are not.
    @Test func anotherFormOfALetterIsAChange() async throws {
        try replica.update("a", in: "tasks", with: ["name": "\u{E9}"])
        var ids = changes().makeAsyncIterator()
        _ = try await ids.next()
        try replica.update("a", in: "tasks", with: ["name": "e\u{301}"])
        #expect(try await ids.next() == ["a"])
    }

    @Test(.timeLimit(.minutes(10))) func itEndsWithItsTask() async throws {
        let (told, listener) = AsyncStream<Void>.makeStream()
        let task = Task { [changes = changes()] in
            for try await _ in changes { listener.yield() }
        }
        for await _ in told { break }
        task.cancel()
        try await task.value
    }

    @Test func rowsOfAStateThatNeverWasAreNotTold() async throws {
        var ids = changes().makeAsyncIterator()
        _ = try await ids.next()
        try replica.edit("UPDATE _replica SET cursor = 'c', drain_timestamp = 5, drain_rows = 0, step = step + 1")
        try replica.update("a", in: "tasks", with: ["name": "A"])
        var unsettled = changes(unsettled: true).makeAsyncIterator()
        #expect(try await unsettled.next() == ["a", "b", "c"])
        try replica.update("b", in: "tasks", with: ["name": "B"])
        #expect(try await unsettled.next() == ["b"])
        try replica.edit(
            "UPDATE _replica SET cursor = NULL, drain_timestamp = NULL, drain_rows = NULL, step = step + 1")
        #expect(try await ids.next() == ["a", "b"])
    }

    /// The rows of its pages stay until the next drain, and no commit had them so.
    @Test func rowsOfAFirstDrainThatWasDroppedAreNotTold() async throws {
        let scratch = try Scratch()
        let replica = try scratch.replicaWithTables()
        #expect(try replica.state().showsWhatWas)
        try replica.take(Fixture.page(Fixture.tasks(updated: [["id": "a", "server_version": 1]]), cursor: "c"))
        try replica.reset(resync: false)
        #expect(try !replica.state().showsWhatWas && replica.ids() == ["a"])
        try replica.take(Fixture.page(Fixture.tasks(updated: [["id": "b", "server_version": 1]]), cursor: "c"))
        try replica.reset(resync: true)
        #expect(try !replica.state().showsWhatWas)
        #expect(try replica.wipe(.projectDeleted, at: .test) == 0)
        #expect(try replica.state().showsWhatWas && replica.ids().isEmpty)
    }

    @Test func aCollectionThatIsNotThereIsAnError() async throws {
        var ids = replica.changes(of: "moons").makeAsyncIterator()
        await #expect(throws: ReplicaError.unknownCollection("moons")) { try await ids.next() }
    }

    /// A reader that reads nothing but the rows that it is told has what the replica has, whoever wrote.
    @Test(arguments: 1...10) func whoGoesByTheIdsAloneMissesNothing(seed: UInt64) async throws {
        let dice = Dice(seed: seed)
        let writers = [replica, try Replica(existing: replica.path)]
        var ids = changes().makeAsyncIterator()
        var shown: [String: JSON] = [:]
        for turn in 0..<25 {
            for _ in 0..<dice.roll(4) { try edit(writers[dice.roll(2)], dice) }
            // The last edit is one in any case, so there is something to wait for.
            try replica.update("c", in: "tasks", with: ["duration": .int(Int64(turn + 1_000))])
            while shown["c"]?["duration"] != .int(Int64(turn + 1_000)) {
                for id in try #require(try await ids.next()) {
                    shown[id] = try replica.row(of: "tasks", id: id).flatMap { $0["_status"] == "deleted" ? nil : $0 }
                }
            }
            let rows = try replica.rows(RowQuery("tasks"))
            #expect(rows.count == shown.count && rows.allSatisfy { shown[$0["id"]?.string ?? ""] == $0 }, "\(seed)")
        }
    }

    private func edit(_ writer: Replica, _ dice: Dice) throws {
        let id = "t\(dice.roll(6))"
        let row = try writer.row(of: "tasks", id: id)
        switch dice.roll(3) {
        case 0 where row == nil: try writer.insert(["name": .string(id)], into: "tasks", id: id)
        case 1 where row != nil: try writer.delete(id, from: "tasks")
        case _ where row != nil: try writer.update(id, in: "tasks", with: ["duration": .int(Int64(dice.roll(3)))])
        default: break
        }
    }
}
