import SyncProtocol
import Testing

@testable import MSPDI

@Suite struct PlanLinkTests {
    private func link(_ predecessor: Int, _ fields: String = "") -> String {
        "<PredecessorLink><PredecessorUID>\(predecessor)</PredecessorUID>\(fields)</PredecessorLink>"
    }

    private func plan(_ links: [Int: String], count: Int = 4) throws -> ImportedPlan {
        let tasks = (1...count).map { PlanFixture.task($0, "<Duration>PT80H</Duration>" + (links[$0] ?? "")) }
        let blank = "<Task><UID>90</UID><IsNull>1</IsNull></Task>"
        return try PlanFixture.plan(
            settings: "<StartDate>2026-01-05</StartDate>", tasks: PlanFixture.task(0) + tasks.joined() + blank)
    }

    private func lines(_ plan: ImportedPlan) -> [String] {
        plan.notImported.filter { $0 != "1 blank line between tasks" }
    }

    @Test func theFourTypesAreMappedAndFSIsTheDefault() throws {
        let plan = try plan([
            2: link(1), 3: link(1, "<Type>0</Type>") + link(2, "<Type>1</Type>"),
            4: link(1, "<Type>2</Type>") + link(1, "<Type>3</Type>"),
        ])
        #expect(plan.linkTexts == ["T1 FS T2 0", "T1 FF T3 0", "T2 FS T3 0", "T1 SF T4 0", "T1 SS T4 0"])
        #expect(lines(plan) == [])
    }

    @Test func anUnknownTypeIsListed() throws {
        let plan = try plan([2: link(1, "<Type>9</Type>")])
        #expect(plan.linkTexts == ["T1 FS T2 0"])
        #expect(lines(plan) == ["type 9 of link 1 -> 2 (\"T1\" -> \"T2\"): became FS"])
    }

    @Test(arguments: [
        (9600, 7, 2, ""), (-4800, 7, -1, ""), (7200, 7, 2, "1.5 days rounded to 2"),
        (-7200, 5, -2, "-1.5 days rounded to -2"), (1200, 5, 0, "0.25 days rounded to 0"),
        (100_800, 8, 5, "7 elapsed days converted to 5 working days"), (50, 19, 5, "50% converted to 5 days"),
        (10, 51, 1, "10% converted to 1 day"),
        (-20, 52, -2, "-20% converted to -2 days"), (999_999_999_999, 7, 36_525, "208333333.33 days cut to 36525"),
    ])
    func lagsBecomeWholeDays(lag: Int, format: Int, days: Int, line: String) throws {
        let plan = try plan([2: link(1, "<LinkLag>\(lag)</LinkLag><LagFormat>\(format)</LagFormat>")])
        #expect(plan.linkTexts == ["T1 FS T2 \(days)"])
        #expect(lines(plan) == (line.isEmpty ? [] : ["lag of link 1 -> 2: \(line)"]))
    }

    @Test func anUnreadableLagIsListed() throws {
        let plan = try plan([2: link(1, "<LinkLag>two</LinkLag>")])
        #expect(plan.linkTexts == ["T1 FS T2 0"])
        #expect(lines(plan) == ["unreadable LinkLag of 1 link"])
    }

    @Test(arguments: [
        (
            "<PredecessorUID>77</PredecessorUID>",
            "link 77 -> 2 (\"?\" -> \"T2\"): leads to a task that is not in the plan"
        ),
        ("<PredecessorUID>0</PredecessorUID>", "link 0 -> 2 (\"T0\" -> \"T2\"): leads to the project's summary"),
        ("<PredecessorUID>90</PredecessorUID>", "link 90 -> 2 (\"?\" -> \"T2\"): leads to a blank line"),
        ("<PredecessorUID>2</PredecessorUID>", "link 2 -> 2 (\"T2\" -> \"T2\"): links a task to itself"),
        ("", "link ? -> 2 (\"?\" -> \"T2\"): names no predecessor"),
        (
            "<PredecessorUID>one</PredecessorUID>",
            "link ? -> 2 (\"?\" -> \"T2\"): names \"one\", which is not a UID"
        ),
        (
            "<PredecessorUID>1</PredecessorUID><CrossProject>1</CrossProject>",
            "link 1 -> 2 (\"T1\" -> \"T2\"): leads to another project"
        ),
    ])
    func linksThatCanNotBeHeldAreListed(fields: String, line: String) throws {
        let plan = try plan([2: "<PredecessorLink>\(fields)</PredecessorLink>"])
        #expect(plan.links.isEmpty)
        #expect(lines(plan) == [line])
    }

    /// T1 > T2 > T3, and T4 beside them. A summary can be linked with whatever is not below it.
    @Test func aLinkOfASummaryWithATaskBelowItIsListed() throws {
        let links = [1: link(3) + link(4), 2: link(1), 3: link(2) + link(1) + link(4), 4: ""]
        let tasks = [1, 2, 3, 1].enumerated().map { index, level in
            PlanFixture.task(index + 1, "<OutlineLevel>\(level)</OutlineLevel>" + (links[index + 1] ?? ""))
        }
        let plan = try PlanFixture.plan(settings: "<StartDate>2026-01-05</StartDate>", tasks: tasks.joined())
        #expect(plan.linkTexts == ["T4 FS T1 0", "T4 FS T3 0"])
        #expect(
            plan.notImported
                == [(3, 1), (1, 2), (2, 3), (1, 3)].map { from, to in
                    "link \(from) -> \(to) (\"T\(from)\" -> \"T\(to)\"): joins a summary with a task below it"
                })
    }

    /// Databases may hold such links from the time when they were not refused.
    @Test func theExportOfSuchALinkSaysThatAnImportLeavesItOut() throws {
        var plan = try PlanFixture.plan(
            tasks: PlanFixture.task(1) + PlanFixture.task(2, "<OutlineLevel>2</OutlineLevel>") + PlanFixture.task(3))
        let ids = plan.each("id")
        plan.rows["dependencies"] = [(0, 1), (1, 2)].map { from, to in
            ["id": .string("d\(from)"), "predecessor": ids[from], "successor": ids[to], "dep_type": "FS", "lag": 0]
        }
        let (again, written) = try PlanFixture.again(plan)
        #expect(again.linkTexts == ["T2 FS T3 0"])
        #expect(
            written.notExported == [
                "dependencies of 1 row: between a summary and a task below it: an import leaves it out"
            ])
    }

    @Test func theSameLinkTwiceIsOne() throws {
        let plan = try plan([2: link(1) + link(1, "<LinkLag>4800</LinkLag>") + link(1, "<Type>3</Type>")])
        #expect(plan.linkTexts == ["T1 FS T2 0", "T1 SS T2 0"])
        #expect(lines(plan) == ["link 1 -> 2 (\"T1\" -> \"T2\"): occurs twice"])
    }

    @Test func theLinkThatClosesACycleIsDropped() throws {
        let plan = try plan([1: link(3), 2: link(1), 3: link(2), 4: link(3)])
        #expect(plan.linkTexts == ["T1 FS T2 0", "T2 FS T3 0", "T3 FS T4 0"])
        #expect(lines(plan) == ["link 3 -> 1 (\"T3\" -> \"T1\"): would close a cycle"])
    }
}

@Suite struct CycleCheckTests {
    /// Whether the links have no cycle. Removes tasks without predecessors until none is left.
    private func isAcyclic(_ nodes: Int, _ links: [(from: Int, to: Int)]) -> Bool {
        var left = Set(0..<nodes)
        while true {
            let blocked = Set(links.filter { left.contains($0.from) && left.contains($0.to) }.map(\.to))
            let free = left.subtracting(blocked)
            if free.isEmpty { return left.isEmpty }
            left.subtract(free)
        }
    }

    @Test(arguments: 1...40)
    func afterItNoCycleIsLeftAndNothingWasDroppedInVain(seed: UInt64) {
        var state = seed
        func random(_ below: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(below))
        }
        let nodes = 2 + random(12)
        let links = (0..<random(40)).map { _ in (from: random(nodes), to: random(nodes)) }.filter { $0.from != $0.to }
        let closing = CycleCheck.closing(nodes: nodes, links: links)
        let kept = links.indices.filter { !closing.contains($0) }.map { links[$0] }
        #expect(isAcyclic(nodes, kept), "seed \(seed)")
        for number in closing { #expect(!isAcyclic(nodes, kept + [links[number]]), "seed \(seed)") }
    }

    @Test func aChainAndADenseKnotOfFiftyThousandLinksAreQuick() {
        let chain = (0..<50_000).map { (from: $0, to: ($0 + 1) % 50_000) }
        #expect(CycleCheck.closing(nodes: 50_000, links: chain) == [49_999])
        let knot = (0..<(224 * 224)).map { (from: $0 % 224, to: $0 / 224) }.filter { $0.from != $0.to }
        #expect(CycleCheck.closing(nodes: 224, links: knot).count == knot.count / 2)
    }
}
