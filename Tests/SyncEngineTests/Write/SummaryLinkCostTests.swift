@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import SyncValues
import Testing

/// What judging links by the tree of their tasks costs, in calls of the store.
@Suite struct SummaryLinkCostTests {
    private typealias Bench = Workbench<ModelStore>

    /// `sum` with `count` tasks below it, and `far`.
    private func bench(_ count: Int) async throws -> Bench {
        let registry = try Registry.builtIn()
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        try await bench.edit { editor in
            for id in ["sum", "far", "top"] { try editor.insert("tasks", id, ["name": "T"]) }
            for number in 0..<count {
                try editor.insert("tasks", "t\(number)", ["name": "T", "parent": "sum"])
            }
            for number in 1..<count {
                try editor.insert("dependencies", "d\(number)", link("t\(number - 1)", "t\(number)"))
            }
        }
        return bench
    }

    private func link(_ from: String, _ to: String) -> [String: JSON] {
        ["predecessor": .string(from), "successor": .string(to)]
    }

    /// Makes a change in a caller's draft, then judges its rows in a store that allows only this many calls.
    private func judge(
        _ bench: Bench, calls: Int, _ change: @escaping @Sendable (Draft) throws -> [RowKey]
    ) async throws -> [String] {
        let caller = bench.caller(.owner)
        return try await FaultyStore(bench.store, failingCall: calls + 1).write { transaction in
            let access = try ProjectAccess(caller, project: bench.project, in: transaction)
            let draft = Draft(transaction, registry: bench.registry, access: access, now: Bench.noon)
            return try change(draft).compactMap { key in
                let collection = bench.registry.collection(key.collection)
                guard let row = draft.entries[key]?.current else { return nil }
                do {
                    try SummaryLinks(bench.registry.collection("dependencies"), draft)?.check(row, of: collection)
                    return nil
                } catch let violation as Violation {
                    return "\(key.id) \(violation.code.rawValue)"
                }
            }
        }
    }

    /// The access takes two or three calls, and what lies below the ends one.
    @Test(arguments: [10, 400]) func manyLinksTakeOneLookup(count: Int) async throws {
        let bench = try await bench(count + 2)
        let problems = try await judge(bench, calls: 5) { draft in
            let keys = (0..<count).map { RowKey("dependencies", "new\($0)") }
            for (number, key) in keys.enumerated() {
                try draft.insert(key, link("t\(number)", "t\(number + 2)"))
            }
            return keys
        }
        #expect(problems.isEmpty)
    }

    /// Besides, each task that is linked with a summary task is read once.
    @Test func aLinkWithASummaryReadsTheWayUp() async throws {
        let bench = try await bench(400)
        let problems = try await judge(bench, calls: 8) { draft in
            let keys = [RowKey("dependencies", "bad"), RowKey("dependencies", "good")]
            try draft.insert(keys[0], link("t7", "sum"))
            try draft.insert(keys[1], link("far", "sum"))
            return keys
        }
        #expect(problems == ["bad cyclic_dependency"])
    }

    /// A tree is moved by one row, and none of those below it is read.
    @Test(arguments: [10, 400]) func aLargeTreeMovesAtTheSameCost(count: Int) async throws {
        let bench = try await bench(count)
        try await bench.edit { try $0.insert("dependencies", "far-t3", link("far", "t3")) }
        for (parent, expected) in [("top", []), ("far", ["sum cyclic_dependency"])] {
            let problems = try await judge(bench, calls: 10) { draft in
                let key = RowKey("tasks", "sum")
                let position = bench.registry.collection("tasks").position(named: "parent")
                try draft.update(key) { $0[position] = .string(parent) }
                return [key]
            }
            #expect(problems == expected)
        }
    }
}

extension SummaryLinks {
    fileprivate func check(_ row: StoredRow, of collection: Collection) throws {
        if collection.name == "tasks" { try check(moved: row) } else { try check(row) }
    }
}
