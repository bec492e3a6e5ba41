import ArgumentParser
import Foundation
import SyncAccounts
import SyncClientCore
import SyncProtocol
import SyncSchema
import SyncTestKit
import Synchronization
import Testing
@testable import tidemark

/// Rows that the server does not take.
extension RowSyncTests {
    @Test func ofTwoRetrosOfOneSprintTheSecondNamesTheFirst() async throws {
        let (one, two) = (try await Device("one", .owner, of: server), try await Device("two", .member, of: server))
        try await one.sync()
        try one.add("sprints", "s", "name=S", "start_date=2026-06-01", "finish_date=2026-06-14")
        try await one.sync()
        try await two.sync()
        try one.add("sprint_retros", "first", "sprint=s", "notes=one")
        try two.add("sprint_retros", "second", "sprint=s", "notes=two")
        try await one.sync()
        await two.syncRefused()
        let edit = try #require(try RefusedEdit.all(in: two.replica).first)
        #expect(edit.line.hasPrefix("unsent\tsprint_retros\tsecond\tsprint\tnot_unique\t"))
        #expect(edit.line.hasSuffix("\tfirst") && edit.json["existing"] == "first")
        #expect(edit.sentence.contains(" Edit the row `first` instead. (not_unique)"))
        try RefusedDropCommand.parse(["sprint_retros/second", "--replica", two.path]).run()
        try two.set("sprint_retros", "first", "notes=one and two")
        try await two.sync()
        try await one.sync()
        #expect(try one.rows("sprint_retros").map { $0["notes"] } == ["one and two"])
    }

    /// A message is one line, whatever somebody wrote into the row.
    @Test func aRefusedRowIsNamedInOneLine() async throws {
        let device = try await Device("one", .member, of: server)
        try await device.sync()
        let title = "Late\n\u{1B}[2Jpaint" + String(repeating: "x", count: 200)
        try device.add("risks", "r", "title=\(title)", "probability=5", "impact=1")
        try device.replica.storeUnjudged("probability", 9, in: "risks")
        await device.syncRefused()
        let edit = try #require(try RefusedEdit.all(in: device.replica).first)
        let name = "“Late  [2Jpaint" + String(repeating: "x", count: 66) + "…”"
        #expect(edit.sentence.hasPrefix("Not taken, kept unsent: risks r \(name), probability: "))
    }

    @Test func whatARoleDoesNotAllowIsRefusedRowByRow() async throws {
        let (one, two) = (try await Device("one", .owner, of: server), try await Device("two", .viewer, of: server))
        try await one.sync()
        try add("one", to: one)
        try await one.sync()
        try await two.sync()
        for (collection, id, field) in Self.changes { try two.set(collection, "one-" + id, field) }
        try two.add("risks", "mine", "title=R", "probability=1", "impact=1")
        try two.remove("task_links", "one-link")
        await two.syncRefused()
        let refused = try two.refused()
        #expect(refused.first == ["unsent", "risks", "mine", "forbidden"] && refused.count == 11)
        #expect(Set(refused.dropFirst().map { $0[1] }) == Set(Self.changes.map(\.0)))
        for (collection, _, _) in Self.changes where collection != "risks" {
            #expect(try two.rows(collection) == one.rows(collection), "\(collection)")
        }
    }

    /// The row that is gone is named by its id alone, and never delivered again.
    @Test func anEditOfARowThatIsHiddenByNowIsSetAsideOnce() async throws {
        let (one, two) = (try await Device("one", .owner, of: server), try await Device("two", .member, of: server))
        try await one.sync()
        try one.add("sprints", "s", "name=S", "start_date=2026-06-01", "finish_date=2026-06-14")
        try one.add("sprint_retros", "r", "sprint=s", "notes=closed")
        try await one.sync()
        try await two.sync()
        try two.set("sprint_retros", "r", "notes=mine")
        try two.set("sprints", "s", "goal=mine")
        try await server.bench.setRole(of: .member, to: .viewer)
        await two.syncRefused(.push)
        #expect(Set(try two.refused().map { $0[1] + $0[3] }) == ["sprint_retrosid_unavailable", "sprintsforbidden"])
        #expect(try two.rows("sprint_retros").isEmpty)
        try await two.sync()
        try await two.sync(.push)
        #expect(try two.rows("sprint_retros").isEmpty && two.refused().count == 2)
    }

    /// Nobody sees the time entries of others, so two devices may choose the same id.
    @Test func anIDThatIsTakenOutOfSightKeepsTheNewRowHere() async throws {
        let (one, two) = (try await Device("one", .owner, of: server), try await Device("two", .member, of: server))
        try await one.sync()
        try one.add("tasks", "t", "name=T")
        try one.add("time_entries", "e", "task=t", "minutes=5", "entry_date=2026-06-01")
        try await one.sync()
        try await two.sync()
        try two.add("time_entries", "e", "task=t", "minutes=7", "entry_date=2026-06-02")
        try two.set("tasks", "t", "notes=two")
        await two.syncRefused()
        await two.syncRefused(.push)
        #expect(try two.refused() == [["unsent", "time_entries", "e", "id_unavailable"]])
        #expect(try two.rows("time_entries").map { $0["minutes"] } == [7])
        try await one.sync()
        #expect(try one.rows("time_entries").map { $0["minutes"] } == [5])
        #expect(try one.rows("tasks").map { $0["notes"] } == ["two"])
    }

    @Test func whatBelongsToADeletedTaskIsSetAside() async throws {
        let (one, two) = (try await Device("one", .owner, of: server), try await Device("two", .member, of: server))
        try await one.sync()
        try one.add("tasks", "t", "name=T")
        try one.add("task_links", "l", "task=t", "url=https://example.org/")
        try await one.sync()
        try await two.sync()
        try one.remove("tasks", "t")
        try await one.sync()
        try two.add("time_entries", "e", "task=t", "minutes=7", "entry_date=2026-06-02")
        try two.set("task_links", "l", "title=mine")
        await two.syncRefused(.push)
        try await two.sync()
        #expect(
            try two.refused() == [
                ["aside", "time_entries", "e", "parent_deleted"], ["aside", "task_links", "l", "deleted"],
            ])
        try RefusedDropCommand.parse(["--all", "--replica", two.path]).run()
        try await expectEqual(one, two)
    }
}
