import SyncAccounts
@testable import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import SyncValues
import Testing

/// A link is refused if, and only if, it closes a cycle.
@Suite struct LinkCycleTests {
    private struct Link: Hashable {
        var from: Int
        var to: Int
        var type: String
    }

    /// Whether there is a path. Looks at all links until nothing new is found.
    private func reaches(_ from: Int, _ to: Int, _ links: some Sequence<Link>) -> Bool {
        var reached: Set<Int> = [from]
        var size = 0
        while reached.count != size {
            size = reached.count
            for link in links where reached.contains(link.from) { reached.insert(link.to) }
        }
        return reached.contains(to)
    }

    private func tasks<Store: SyncStore>(_ count: Int, _ bench: Workbench<Store>) async throws {
        try await bench.edit { editor in
            for number in 0..<count { try editor.insert("tasks", "t\(number)", ["name": "T"]) }
        }
    }

    private func fields(_ link: Link) -> [String: JSON] {
        [
            "predecessor": .string("t\(link.from)"), "successor": .string("t\(link.to)"),
            "dep_type": .string(link.type),
        ]
    }

    /// The problems of the changed links, by id.
    private func problems(of changed: [String], _ draft: Draft, lookupsUsed: Int) throws -> [String: String] {
        draft.memory.linkLookups["dependencies"] = lookupsUsed
        var problems: [String: String] = [:]
        for id in changed.sorted() {
            do {
                try draft.checks.check(RowKey("dependencies", id))
            } catch let problem as Violation {
                #expect(problem.code == .cyclicDependency)
                problems[id] = problem.detail
            }
        }
        return problems
    }

    /// Checks that the cycle named in a text is one.
    private func expectCycle(in text: String, _ links: some Sequence<Link>, _ comment: Comment) throws {
        guard text != "A task can't depend on itself." else { return }
        let names = try #require(text.split(separator: ": ").last).dropLast().split(separator: " -> ")
        let tasks = names.compactMap { Int($0.dropFirst()) }
        #expect(tasks.count == names.count && tasks.count > 2 && tasks.first == tasks.last, comment)
        for (from, to) in zip(tasks, tasks.dropFirst()) {
            #expect(links.contains { $0.from == from && $0.to == to }, comment)
        }
        #expect(Set(tasks).count == tasks.count - 1, comment)
    }

    /// Random links are created, deleted and moved, several at a time.
    /// Every write is checked both by searching and by reading all links.
    @Test(arguments: (0..<6).map { 0xDA6 + UInt64($0) }, [0, AcyclicDependencies.maximumLookups])
    func aLinkIsRefusedIfAndOnlyIfItIsOnACycle(seed: UInt64, lookupsUsed: Int) async throws {
        let folder = try TemporaryFolder()
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        let bench = try await Workbench(store, registry)
        var random = SeededGenerator(seed: seed)
        let size = 4 + random.below(12)
        try await tasks(size, bench)
        var links: [String: Link] = [:]
        var (taken, refused) = (0, 0)
        for step in 0..<120 {
            var next = links
            var changed: Set<String> = []
            for _ in 0..<random.below(3) {
                if let id = random.pick(next.keys.sorted()) { next[id] = nil }
            }
            for number in 0...random.below(3) {
                let link = Link(from: random.below(size), to: random.below(size), type: random.pick(["FS", "SS"])!)
                let moved = random.oneIn(3) ? random.pick(next.keys.sorted()) : nil
                guard !next.values.contains(link) else { continue }
                let id = moved ?? "d\(step)-\(number)"
                next[id] = link
                changed.insert(id)
            }
            let (before, after, ids) = (links, next, changed)
            let comment: Comment = "seed \(seed), step \(step)"
            let found = try await judge(bench, before, after, ids, lookupsUsed)
            let bad = ids.filter { reaches(after[$0]!.to, after[$0]!.from, after.values) }
            #expect(Set(found.keys) == bad, comment)
            for text in found.values { try expectCycle(in: text, after.values, comment) }
            if found.isEmpty { links = next }
            if found.isEmpty { taken += 1 } else { refused += 1 }
        }
        #expect(taken > 20 && refused > 5, "seed \(seed)")
        #expect(try await bench.brokenInvariants().isEmpty)
    }

    /// Drafts the change from `before` to `after`, and keeps it if nothing is wrong with it.
    private func judge(
        _ bench: Workbench<SQLiteStore>, _ before: [String: Link], _ after: [String: Link], _ changed: Set<String>,
        _ lookupsUsed: Int
    ) async throws -> [String: String] {
        struct Refused: Error { let problems: [String: String] }
        do {
            try await bench.edit { editor in
                for id in before.keys where after[id] == nil { try editor.delete("dependencies", id) }
                for id in changed.sorted() where before[id] != nil {
                    try editor.update("dependencies", id, fields(after[id]!))
                }
                for id in changed.sorted() where before[id] == nil {
                    try editor.insert("dependencies", id, fields(after[id]!))
                }
                let problems = try problems(of: changed.sorted(), editor.draft, lookupsUsed: lookupsUsed)
                guard problems.isEmpty else { throw Refused(problems: problems) }
            }
            return [:]
        } catch let refused as Refused {
            return refused.problems
        }
    }

    // MARK: Cost

    /// A chain of tasks on the model, and one more link, in a store that allows only this many calls.
    private func link(_ from: Int, _ to: Int, onAChainOf count: Int, calls: Int) async throws -> String? {
        let registry = try Registry.builtIn()
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        try await tasks(count + 1, bench)
        try await bench.edit { editor in
            for number in 1..<count {
                try editor.insert(
                    "dependencies", "d\(number)", fields(Link(from: number - 1, to: number, type: "FS")))
            }
        }
        let store = FaultyStore(bench.store, failingCall: calls + 1)
        return try await store.write { transaction in
            let draft = Draft(transaction, registry, project: "p1", author: 1, now: Workbench<ModelStore>.noon)
            try RowEditor(draft: draft).insert("dependencies", "new", fields(Link(from: from, to: to, type: "FS")))
            return try problems(of: ["new"], draft, lookupsUsed: 0)["new"]
        }
    }

    @Test func aLinkAtAnEndOfAChainTakesOneOrTwoLookups() async throws {
        #expect(try await link(399, 400, onAChainOf: 400, calls: 2) == nil)
        #expect(try await link(400, 0, onAChainOf: 400, calls: 3) == nil)
    }

    @Test func aLinkInTheMiddleOfAChainTakesAFixedNumberOfLookups() async throws {
        #expect(
            try await link(200, 202, onAChainOf: 400, calls: AcyclicDependencies.maximumLookups + 2) == nil)
    }

    @Test func aShortCycleInALongChainIsFoundNearby() async throws {
        #expect(
            try await link(202, 200, onAChainOf: 400, calls: 5)
                == "The links make a cycle: t202 -> t200 -> t201 -> t202.")
    }

    @Test func aLongCycleIsNamedWithoutItsMiddle() async throws {
        let text = try #require(try await link(399, 0, onAChainOf: 400, calls: AcyclicDependencies.maximumLookups + 2))
        #expect(text.hasPrefix("The links make a cycle: t399 -> t0 -> t1 -> "))
        #expect(text.contains(" -> (360 more) -> "))
        #expect(text.hasSuffix(" -> t398 -> t399."))
    }

    /// New links between new tasks are judged without a look at the project's other links.
    @Test func manyNewLinksTakeAFewLookups() async throws {
        let registry = try Registry.builtIn()
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        try await tasks(101, bench)
        // Each link's unique key takes a look-up, and there are two levels of links.
        let store = FaultyStore(bench.store, failingCall: 103)
        let ids = (0..<100).map { "d\($0)" }
        let found = try await store.write { transaction in
            let draft = Draft(transaction, registry, project: "p1", author: 1, now: Workbench<ModelStore>.noon)
            for number in 0..<100 {
                let link = Link(from: number, to: number + 1, type: "FS")
                try RowEditor(draft: draft).insert("dependencies", "d\(number)", fields(link))
            }
            return try problems(of: ids, draft, lookupsUsed: 0)
        }
        #expect(found.isEmpty)
    }

    /// Depth uses no stack, and thousands of refused links take one search.
    @Test func aCycleOfThousandsOfNewLinksIsRefused() async throws {
        let registry = try Registry.builtIn()
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        let count = 5000
        let problem = await #expect(throws: Problem.self) {
            var rows: [String: [[String: JSON]]] = [
                "projects": [["id": "ring", "name": "Ring", "start_date": "2026-01-05", "calendar": "ring-c"]],
                "calendars": [["id": "ring-c", "name": "Standard"]],
            ]
            for number in 0..<count {
                rows["tasks", default: []].append(["id": .string("t\(number)"), "name": "T"])
                let ends = fields(Link(from: number, to: (number + 1) % count, type: "FS"))
                rows["dependencies", default: []].append(ends.merging(["id": .string("d\(number)")]) { $1 })
            }
            _ = try await bench.projects.create(
                ProjectContent(rows: rows, owner: bench.caller(.owner).userID, members: [:]))
        }
        #expect(problem?.code == .invalidRows)
        #expect(problem?.errors.first?.code == .cyclicDependency)
        #expect(problem?.detail.hasPrefix(counted(count, "problem") + ", ") == true)
    }
}
