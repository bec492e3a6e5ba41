import SyncProtocol
import Testing

@testable import SyncClientCore

@Suite struct PartFilterTests {
    private static let mine: JSON = ["assignee": "@me"]
    private static let sprint: JSON = ["sprint": ["s-1", "s-2"]]

    @Test func theUnionJoinsAlternativesAndHasEachOnce() throws {
        let first = try PartFilter(["tasks": [Self.mine]])
        let second = try PartFilter(["tasks": [Self.sprint, Self.mine], "risks": [["status": "OPEN"]]])
        let union = try PartFilter.union(of: [first, second])
        #expect(union.json == ["tasks": [Self.mine, Self.sprint], "risks": [["status": "OPEN"]]])
        #expect(union.covers(first) && union.covers(second))
        #expect(try PartFilter.union(of: []) == .everything)
    }

    @Test func allRowsOfACollectionTakeInAnyPartOfIt() throws {
        let union = try PartFilter.union(of: [PartFilter(["tasks": [[:]]]), PartFilter(["tasks": [Self.mine]])])
        #expect(union.json == ["tasks": [[:]]])
        #expect(try union.covers(PartFilter(["tasks": [Self.sprint]])))
    }

    @Test func noneOfACollectionAddsNothing() throws {
        let union = try PartFilter.union(of: [PartFilter(["tasks": []]), PartFilter(["tasks": [Self.mine]])])
        #expect(union.json == ["tasks": [Self.mine]])
    }

    @Test func whatAFilterDoesNotNameItHas() throws {
        let tasks = try PartFilter(["tasks": [Self.mine]])
        #expect(PartFilter.everything.covers(tasks))
        #expect(try tasks.covers(PartFilter(["risks": [["status": "OPEN"]]])))
        #expect(try !tasks.covers(PartFilter(["tasks": [Self.sprint]])))
    }

    @Test func projectsAreIdsOrConditions() throws {
        let ids = try PartFilter(["projects": ["p", "q"]])
        let more = try PartFilter(["projects": ["q", "r"]])
        #expect(try PartFilter.union(of: [ids, more]).json == ["projects": ["p", "q", "r"]])
        let active = try PartFilter(["projects": [["is_archived": false]]])
        #expect(throws: PartError.noFilter("`projects` has ids and conditions: it takes one or the other")) {
            try PartFilter.union(of: [ids, active])
        }
    }

    /// Each just inside and just outside.
    @Test func limits() throws {
        func tasks(_ alternatives: Int) -> JSON {
            ["tasks": .array((0..<alternatives).map { ["sprint": .string("s-\($0)")] })]
        }
        _ = try PartFilter(tasks(8))
        #expect(throws: PartError.tooLarge("9 alternatives in `tasks`", limit: "8")) { try PartFilter(tasks(9)) }
        func conditions(_ count: Int) -> JSON {
            ["tasks": [.object(Dictionary(uniqueKeysWithValues: (0..<count).map { ("f\($0)", JSON.bool(true)) }))]]
        }
        _ = try PartFilter(conditions(4))
        #expect(throws: PartError.tooLarge("5 conditions in an alternative of `tasks`", limit: "4")) {
            try PartFilter(conditions(5))
        }
        for name in ["", "not", "has"] {
            func values(_ count: Int) -> JSON {
                let list = JSON.array((0..<count).map { .int(Int64($0)) })
                return ["tasks": [["f": name.isEmpty ? list : .object([name: list])]]]
            }
            _ = try PartFilter(values(50))
            #expect(throws: PartError.tooLarge("51 values for `f` of `tasks`", limit: "50")) {
                try PartFilter(values(51))
            }
        }
        func text(_ bytes: Int) -> JSON { ["tasks": [["f": .string(String(repeating: "x", count: bytes - 20))]]] }
        #expect(try PartFilter(text(2048)).text.utf8.count == 2048)
        #expect(throws: PartError.tooLarge("2049 bytes", limit: "2048 bytes")) { try PartFilter(text(2049)) }
    }

    @Test(arguments: ["", "[]", "1", #"{"tasks":{}}"#, #"{"tasks":["t"]}"#, #"{"projects":["p",{}]}"#])
    func whatIsNoFilter(text: String) {
        #expect(throws: PartError.self) { try PartFilter(text: text) }
    }

    @Test func theTextIsTheSameForEachSpelling() throws {
        let spelled = try PartFilter(text: #" {"tasks" : [ {"sprint": null, "assignee":"@me"} ], "risks":[]} "#)
        #expect(spelled == (try PartFilter(["risks": [], "tasks": [["assignee": "@me", "sprint": nil]]])))
    }
}
