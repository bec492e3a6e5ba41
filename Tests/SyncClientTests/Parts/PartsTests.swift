import SyncProtocol
import Testing

@testable import SyncClientCore

/// Named parts, before they are asked for.
@Suite struct PartsTests {
    private let scratch: Scratch
    private let replica: Replica
    private static let hour: Int64 = 3_600_000

    init() throws {
        scratch = try Scratch()
        replica = try scratch.replicaWithTables()
    }

    private func sprint(_ ids: String...) throws -> PartFilter {
        try PartFilter(["tasks": .array(ids.map { ["sprint": .string($0)] })])
    }

    private func wanted(after hours: Int64 = 0) throws -> PartFilter {
        try replica.parts.wanted(at: later(hours))
    }

    private func later(_ hours: Int64) -> Instant {
        Instant(milliseconds: Instant.test.milliseconds + hours * Self.hour)
    }

    @Test func everythingIsWantedUntilAPartIsAdded() throws {
        #expect(try wanted() == .everything && replica.parts.list() == [])
        try replica.parts.add("one", sprint("s-1"))
        try replica.parts.add("two", sprint("s-2"))
        #expect(try wanted() == sprint("s-1", "s-2"))
        try replica.parts.update("two", sprint("s-3"))
        #expect(try wanted() == sprint("s-1", "s-3"))
        try replica.parts.remove("one")
        #expect(try replica.parts.list().map(\.name) == ["two"])
        try replica.parts.remove("two")
        try replica.parts.remove("two")
        #expect(try wanted() == .everything)
    }

    @Test func partsAreInTheFile() throws {
        try replica.parts.add("one", sprint("s-1"), keepHours: 2)
        let part = try #require(try Replica(existing: scratch.path).parts.list().first)
        #expect(try part.name == "one" && part.filter == sprint("s-1") && part.keepHours == 2 && part.keptUntil == nil)
        #expect(!part.isReady)
    }

    @Test func aRemovedPartIsAskedForAWhileLonger() throws {
        try replica.parts.add("one", sprint("s-1"))
        try replica.parts.add("two", sprint("s-2"), keepHours: 2)
        try replica.parts.remove("two", at: .test)
        #expect(try replica.parts.list().last?.keptUntil == later(2))
        #expect(try wanted(after: 1) == sprint("s-1", "s-2"))
        #expect(try wanted(after: 2) == sprint("s-1"))
        #expect(try replica.parts.list().map(\.name) == ["one"])
    }

    @Test func anAddedPartIsNoLongerRemoved() throws {
        try replica.parts.add("one", sprint("s-1"), keepHours: 2)
        try replica.parts.remove("one", at: .test)
        #expect(throws: PartError.unknownPart("one")) { try replica.parts.update("one", sprint("s-2")) }
        try replica.parts.add("one", sprint("s-2"), keepHours: 2)
        #expect(try wanted(after: 3) == sprint("s-2"))
    }

    /// Eight alternatives fit. The ninth part takes the place of the part that was removed first.
    @Test func removedPartsGiveWay() throws {
        for number in 1...8 { try replica.parts.add("part-\(number)", sprint("s-\(number)"), keepHours: 24) }
        #expect(throws: PartError.tooLarge("9 alternatives in `tasks`", limit: "8")) {
            try replica.parts.add("part-9", sprint("s-9"))
        }
        #expect(try replica.parts.list().count == 8)
        try replica.parts.remove("part-5", at: later(1))
        try replica.parts.remove("part-3", at: .test)
        try replica.parts.add("part-9", sprint("s-9"), keepHours: 24, asking: nil, at: later(1))
        #expect(try replica.parts.list().map(\.name) == [1, 2, 4, 5, 6, 7, 8, 9].map { "part-\($0)" })
    }

    @Test func aFunctionIsAskedOnceASyncAndItsLastValueIsKept() throws {
        let calls = Counter()
        try replica.parts.add("window") { try PartFilter(["tasks": [["sprint": .string("s-\(calls.next())")]]]) }
        let first = try #require(try replica.parts.list().first?.filter)
        let second = try wanted()
        #expect(try first != second && replica.parts.list().map(\.filter) == [second])
        #expect(try Replica(existing: scratch.path).parts.wanted(at: .test) == second)
        try replica.parts.update("window", sprint("s-9"))
        #expect(try wanted() == sprint("s-9"))
    }

    @Test func aFilterOfAnUnknownFieldIsRefusedAtOnce() throws {
        let schema = Fixture.schemaJSON(
            version: "v2", taskFields: ["owner": ["type": ["integer", "null"], "default": nil, "x-filterable": true]])
        _ = try replica.adopt(ServerSchema(schema))
        try replica.parts.add("mine", PartFilter(["tasks": [["owner": "@me"]]]))
        #expect(throws: PartError.notFilterable(field: "name", collection: "tasks")) {
            try replica.parts.add("named", PartFilter(["tasks": [["name": "x"]]]))
        }
        #expect(throws: PartError.unknownCollection("moons")) { try replica.parts.add("m", PartFilter(["moons": []])) }
        #expect(throws: PartError.ofAllProjects) { try replica.parts.add("p", PartFilter(["projects": ["p"]])) }
        #expect(throws: PartError.namesNothing) { try replica.parts.add("all", .everything) }
        #expect(try replica.parts.list().map(\.name) == ["mine"])
    }

    /// A part is ready when the file shows a state that was with all of it, and stays so while another one comes.
    @Test func readyIsWhatASettledStateCovers() throws {
        try replica.parts.add("one", sprint("s-1"))
        var page = try Fixture.read(Fixture.page())
        page.filter = try wanted()
        page.isFiltered = true
        _ = try replica.apply(page, of: Fixture.schema, after: replica.state(), at: .test)
        try replica.parts.add("two", sprint("s-2"))
        #expect(try replica.parts.list().map(\.isReady) == [true, false])
        #expect(try replica.parts.changed() == sprint("s-1", "s-2"))
        try replica.parts.remove("two")
        #expect(try replica.parts.changed() == nil)
    }

    @Test func waitingForAPartEndsWithItOrWithItsRemoval() async throws {
        try replica.parts.add("one", sprint("s-1"))
        let waiting = Task { [replica] in try await replica.parts.ready("one", look: .milliseconds(1)) }
        var page = try Fixture.read(Fixture.page())
        page.filter = try wanted()
        _ = try replica.apply(page, of: Fixture.schema, after: replica.state(), at: .test)
        try await waiting.value
        try replica.parts.remove("one")
        await #expect(throws: PartError.unknownPart("one")) { try await replica.parts.ready("one") }
    }
}
