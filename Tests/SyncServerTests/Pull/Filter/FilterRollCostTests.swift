import Foundation
import SyncAccounts
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// A drain to another part looks at what comes and leaves, where one condition makes the difference, and not at what
/// stays. Counted are the steps of SQLite's virtual machine.
@Suite(.enabled(if: TestEngine.isSQLite, "counts what SQLite does")) struct FilterRollCostTests {
    private static let size = 150

    /// Filters of which day 1 is only in the first, and day 11 only in the second.
    private static let rolls: [String: (was: String, now: String)] = [
        "a window": (tasks(window(1, 10)), tasks(window(2, 11))),
        "an open window": (tasks(#""planned_start":{"until":"2026-11-10"}"#), tasks(window(2, 11))),
        "a list": (tasks(#""status":["REVIEW","IN_PROGRESS"]"#), tasks(#""status":["COMPLETE","IN_PROGRESS"]"#)),
        "a window beside a value": (
            tasks(#""is_milestone":false,"# + window(1, 10)), tasks(#""is_milestone":false,"# + window(2, 11))
        ),
        "one of two windows": (
            tasks(window(21, 28), window(1, 10)), tasks(window(2, 11), window(21, 28))
        ),
    ]
    private static let names = rolls.keys.sorted()

    private static func window(_ from: Int, _ until: Int) -> String {
        #""planned_start":{"from":"\#(date(from))","until":"\#(date(until))"}"#
    }

    private static func date(_ day: Int) -> String { "2026-11-" + (day < 10 ? "0\(day)" : "\(day)") }

    private static func tasks(_ alternatives: String...) -> String {
        #"{"tasks":[\#(alternatives.map { "{\($0)}" }.joined(separator: ","))]}"#
    }

    private let work: SQLiteWork
    private let scene: Scene
    private let member: Client

    init() async throws {
        let folder = try TemporaryFolder()
        work = SQLiteWork(in: folder.url.lastPathComponent)
        scene = try await Scene(in: folder, accounts: Scene.unlimited)
        member = try await scene.client(.member)
        try await insert(["leaves"], day: 1, status: "REVIEW")
        try await insert(["comes"], day: 11, status: "COMPLETE")
    }

    private func insert(_ ids: [String], day: Int, status: String) async throws {
        try await scene.bench.edit { editor in
            for id in ids {
                try editor.insert(
                    "tasks", id,
                    ["name": "T", "planned_start": .string(Self.date(day)), "status": .string(status)])
                try editor.insert("task_links", "l-" + id, ["task": .string(id), "url": "https://example.org/"])
            }
        }
    }

    /// Inserts tasks that are in both parts.
    private func grow(_ round: Int) async throws {
        try await insert((0..<Self.size).map { "both-\(round)-\($0)" }, day: 5, status: "IN_PROGRESS")
        try await insert((0..<Self.size).map { "late-\(round)-\($0)" }, day: 25, status: "NOT_STARTED")
    }

    /// The steps of a roll, and of a cold pull of the same part.
    private func measure(_ name: String) async throws -> (roll: Int, cold: Int) {
        let (was, now) = try #require(Self.rolls[name])
        let since = try await member.head()
        let roll = try await work.steps {
            let drain = try await member.filteredDrain(now, was: was, since: since, pageSize: 7)
            #expect(Set(drain.updated.keys) == [RowKey("tasks", "comes"), RowKey("task_links", "l-comes")])
            #expect(drain.left == [RowKey("tasks", "leaves"), RowKey("task_links", "l-leaves")])
        }
        return (roll, try await work.steps { _ = try await member.filteredDrain(now, pageSize: 5000) })
    }

    @Test(arguments: names) func whatStaysCostsNothing(name: String) async throws {
        try await grow(1)
        let single = try await measure(name)
        try await grow(2)
        let double = try await measure(name)
        #expect(Double(double.roll) < Double(single.roll) * 1.2, "\(single.roll) steps, then \(double.roll)")
        #expect(Double(double.cold) > Double(single.cold) * 1.5, "\(single.cold) steps, then \(double.cold)")
    }
}
