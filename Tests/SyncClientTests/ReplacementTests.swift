import SyncProtocol
import Testing

@testable import SyncClientCore

/// A drain from 0 replaces all rows, and a lost project removes them; unsent changes survive both.
@Suite struct ReplacementTests {
    private let scratch: Scratch
    private let replica: Replica

    init() throws {
        scratch = try Scratch()
        replica = try scratch.replicaWithTables()
    }

    private func row(_ id: String, _ name: String = "x") -> JSON {
        ["id": .string(id), "server_version": 1, "name": .string(name)]
    }

    private func fill(_ ids: [String]) throws {
        try replica.take(Fixture.page(Fixture.tasks(updated: ids.map { row($0) })))
    }

    @Test func dropsWhatTheDrainDidNotNameAtItsEndOnly() throws {
        try fill(["a", "b", "c"])
        _ = try replica.reset(resync: true)
        try replica.take(Fixture.page(Fixture.tasks(updated: [row("b")]), timestamp: 50, cursor: "c"))
        #expect(try replica.ids() == ["a", "b", "c"])
        let receipt = try replica.take(Fixture.page(Fixture.tasks(updated: [row("d")]), timestamp: 50))
        #expect(receipt?.dropped == 2)
        #expect(try replica.ids() == ["b", "d"])
        #expect(try replica.state().since == SyncSeq(50))
    }

    @Test func restartedReplacementForgetsWhatTheFirstTryNamed() throws {
        try fill(["a", "b"])
        _ = try replica.reset(resync: true)
        try replica.take(Fixture.page(Fixture.tasks(updated: [row("a")]), timestamp: 50, cursor: "c"))
        _ = try replica.reset(resync: false)
        try replica.take(Fixture.page(Fixture.tasks(updated: [row("b")]), timestamp: 51))
        #expect(try replica.ids() == ["b"])
    }

    @Test func keepsRowsMadeHereAndSetsAsideEditsOfRowsThatAreGone() throws {
        try fill(["a", "b", "c"])
        try replica.edit("UPDATE tasks SET _status = 'updated', _changed = 'name' WHERE id = 'a'")
        try replica.edit("UPDATE tasks SET _status = 'deleted' WHERE id = 'b'")
        try replica.edit("INSERT INTO tasks (id, _status) VALUES ('new', 'created')")
        _ = try replica.reset(resync: true)
        let receipt = try replica.take(Fixture.page(timestamp: 50))
        #expect(receipt?.dropped == 3)
        #expect(try replica.ids() == ["new"])
        #expect(try replica.setAside().map(\.id) == ["a"])
    }

    @Test func ordinaryDrainDropsNothing() throws {
        try fill(["a", "b"])
        try replica.take(Fixture.page(Fixture.tasks(updated: [row("c")]), timestamp: 43))
        #expect(try replica.ids() == ["a", "b", "c"])
    }

    @Test func wipeSetsUnsentRowsAsideAndStartsOver() throws {
        try fill(["a", "b", "c"])
        try replica.edit(
            "UPDATE tasks SET name = 'mine', done = 1, _status = 'updated', _changed = 'name' WHERE id = 'a'")
        try replica.edit("INSERT INTO sprints (id, name, _status) VALUES ('s', 'S', 'created')")
        let time = Instant(milliseconds: 1_700_000_000_000)
        #expect(try replica.wipe(.projectDeleted, at: time) == 2)
        #expect(try replica.ids().isEmpty && replica.ids(of: "sprints").isEmpty)
        let state = try replica.state()
        #expect(state.since == .zero && state.drain == nil && state.schemaVersion == "v1")
        let aside = try replica.setAside()
        #expect(aside.map(\.id) == ["s", "a"])
        #expect(aside.allSatisfy { $0.reason == "project_deleted" && $0.time == time.text })
        #expect(aside[1].row["name"] == "mine" && aside[1].row["done"] == true && aside[1].row["_changed"] == "name")
        #expect(try replica.wipe(.projectDeleted, at: time) == 0)
        #expect(try replica.setAside().count == 2)
    }
}
