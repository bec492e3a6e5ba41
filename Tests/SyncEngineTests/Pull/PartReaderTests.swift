import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// How `filter` and `filter_was` are read.
@Suite struct PartReaderTests {
    private let registry: Registry

    init() throws {
        registry = try Documents.registry { documents in
            documents.add(
                "samples",
                [
                    "at": ["type": ["string", "null"], "format": "date-time", "x-filterable": true],
                    "level": ["type": ["integer", "null"], "enum": [1, 2, 3], "x-filterable": true],
                    "maker": ["type": "integer", "readOnly": true, "x-value": "caller", "x-filterable": true],
                    "number": ["type": ["number", "null"], "minimum": 0, "maximum": 10, "x-filterable": true],
                    "word": ["type": "string", "default": "", "maxLength": 5, "x-filterable": true],
                ])
        }
    }

    private func part(_ text: String, parameter: String = "filter", allowsProjects: Bool = false) throws -> Part {
        try PartReader(registry: registry, user: 7, parameter: parameter, allowsProjects: allowsProjects).part(text)
    }

    private func term(_ collection: String, _ field: String, _ condition: Part.Condition) throws -> Part.Term {
        let collection = try #require(registry[collection])
        return Part.Term(position: collection.position(named: field), condition: condition)
    }

    // MARK: What is read

    @Test func theExampleOfTheContractIsRead() throws {
        let read = try part(
            """
            {"tasks": [{"assignee": "@me"}, {"sprint": ["s-2", "s-1"]},
                       {"planned_start": {"from": "2026-11-01", "until": "2026-11-30"}}]}
            """)
        let terms = [
            try term("tasks", "assignee", .isOne(of: [7])), try term("tasks", "sprint", .isOne(of: ["s-1", "s-2"])),
            try term("tasks", "planned_start", .isWithin(from: "2026-11-01", until: "2026-11-30")),
        ]
        #expect(read == Part(["tasks": terms.map { [$0] }]))
    }

    @Test func allNoneAndEverythingAreTold() throws {
        #expect(try part("{}") == .whole)
        #expect(try part(#"{"tasks":[{}]}"#) == Part(["tasks": [[]]]))
        #expect(try part(#"{"tasks":[]}"#) == Part(["tasks": []]))
        #expect(try part(#"{"retro_action_items":[{}],"memberships":[]}"#).alternatives.count == 2)
    }

    /// A condition as text, and as it is read.
    struct Reading: Sendable, CustomTestStringConvertible {
        let collection: String
        let field: String
        let text: String
        let condition: Part.Condition

        init(_ place: String, _ text: String, _ condition: Part.Condition) {
            let names = place.split(separator: ".").map(String.init)
            collection = names[0]
            field = names[1]
            self.text = text
            self.condition = condition
        }

        var testDescription: String { "\(field): \(text)" }
    }

    @Test(arguments: [
        Reading("tasks.assignee", "3", .isOne(of: [3])),
        Reading("tasks.assignee", "null", .isOne(of: [nil])),
        Reading("tasks.assignee", #"["@me", null, 10, 9, 7, 9]"#, .isOne(of: [7, 9, 10, nil])),
        Reading("tasks.assignee", "[]", .isOne(of: [])),
        Reading("tasks.assignee", #"{"not": "@me"}"#, .isNone(of: [7])),
        Reading("tasks.is_milestone", "[true, null, false]", .isOne(of: [false, nil, true])),
        Reading("tasks.status", #"{"not": ["REVIEW", "COMPLETE"]}"#, .isNone(of: ["COMPLETE", "REVIEW"])),
        Reading("tasks.sprint", #"{"not": null}"#, .isNone(of: [nil])),
        Reading("tasks.sprint", #""@me""#, .isOne(of: ["@me"])),
        Reading("risks.task_ids", #"{"has": "t-1"}"#, .contains(["t-1"])),
        Reading("risks.task_ids", #"{"has": ["t-2", "t-1", "t-2"]}"#, .contains(["t-1", "t-2"])),
        Reading("risks.task_ids", #"{"has": []}"#, .contains([])),
        Reading("samples.maker", #""@me""#, .isOne(of: [7])),
        Reading("samples.at", #""2026-11-01T01:00:00+01:00""#, .isOne(of: ["2026-11-01T00:00:00.000Z"])),
        Reading(
            "samples.at", #"{"until": "2026-11-01T00:00:00Z"}"#,
            .isWithin(from: nil, until: "2026-11-01T00:00:00.000Z")),
        Reading("samples.level", #"{"from": 0}"#, .isWithin(from: 0, until: nil)),
        Reading("samples.number", "[2.5, 2, 10.0]", .isOne(of: [2, 2.5, 10])),
        Reading("samples.number", "-1", .isOne(of: [-1])),
        Reading("samples.number", #"{"from": 1.0, "until": 99}"#, .isWithin(from: 1, until: 99)),
        Reading("samples.word", #""too long""#, .isOne(of: ["too long"])),
        Reading("samples.word", #"{"prefix": "too long"}"#, .begins(with: "too long")),
        Reading("samples.word", #"{"prefix": ""}"#, .begins(with: "")),
    ])
    func aConditionIsReadInNormalForm(reading: Reading) throws {
        let read = try part(#"{"\#(reading.collection)":[{"\#(reading.field)":\#(reading.text)}]}"#)
        let term = try term(reading.collection, reading.field, reading.condition)
        #expect(read == Part([reading.collection: [[term]]]), "\(read)")
    }

    @Test func aConditionThatEveryRowMeetsIsNone() throws {
        #expect(try part(#"{"tasks":[{"assignee":{"not":[]}}]}"#) == part(#"{"tasks":[{}]}"#))
    }

    @Test func equalFiltersAreEqualParts() throws {
        let one = try part(
            #"{"tasks":[{"sprint":["a","b"],"assignee":7},{},{"assignee":"@me","sprint":["b","a","b"]}]}"#)
        let other = try part(#"{"tasks" : [{"assignee":"@me","sprint":["b","a"]}, {}]}"#)
        #expect(one == other)
        #expect(one.binding == other.binding)
        #expect(one.hashValue == other.hashValue)
    }

    @Test func otherFiltersAreOtherParts() throws {
        let parts = try [
            "{}", #"{"tasks":[]}"#, #"{"tasks":[{}]}"#, #"{"tasks":[{"assignee":1}]}"#,
            #"{"tasks":[{"assignee":{"not":1}}]}"#, #"{"tasks":[{"assignee":1},{"assignee":2}]}"#,
            #"{"tasks":[{"assignee":2},{"assignee":1}]}"#, #"{"tasks":[{"assignee":[]}]}"#,
            #"{"tasks":[{"planned_start":{"from":"2026-11-01"}}]}"#,
            #"{"tasks":[{"planned_start":{"until":"2026-11-01"}}]}"#,
            #"{"samples":[{"word":{"prefix":"\u00e9"}}]}"#, #"{"samples":[{"word":{"prefix":"e\u0301"}}]}"#,
            #"{"samples":[{"word":"\u00e9"}]}"#, #"{"samples":[{"word":"e\u0301"}]}"#,
        ].map { try part($0) }
        #expect(Set(parts).count == parts.count)
        #expect(Set(parts.map { ExactText($0.binding) }).count == parts.count)
    }

    @Test func projectsAreAskedForInAPullOfAll() throws {
        let archived = try term("projects", "is_archived", .isOne(of: [false]))
        #expect(
            try part(#"{"projects":[{"is_archived":false}]}"#, allowsProjects: true)
                == Part([:], projects: [[archived]]))
        let ids = Part.Term(position: Part.Term.idPosition, condition: .isOne(of: ["p-1", "p-2"]))
        #expect(
            try part(#"{"projects":["p-2","p-1","p-2"]}"#, allowsProjects: true) == Part([:], projects: [[ids]]))
    }

    // MARK: What is refused

    /// A filter that is refused, with the place and a part of the message.
    struct Refusal: Sendable, CustomTestStringConvertible {
        let text: String
        let pointer: String
        let words: String

        init(_ text: String, _ pointer: String, _ words: String) {
            self.text = text
            self.pointer = pointer
            self.words = words
        }

        var testDescription: String { text }
    }

    @Test(arguments: [
        Refusal("", "", "must be a JSON object"),
        Refusal("[]", "", "must be a JSON object"),
        Refusal(#"{"tasks":[]"#, "", "must be a JSON object"),
        Refusal(#"{"boats":[{}]}"#, "/boats", "names no collection"),
        Refusal(#"{"a/b":[{}]}"#, "/a~1b", "names no collection"),
        Refusal(#"{"projects":[{}]}"#, "/projects", "pull of all projects"),
        Refusal(#"{"tasks":{}}"#, "/tasks", "list of alternatives"),
        Refusal(#"{"tasks":[[]]}"#, "/tasks/0", "object of conditions"),
        Refusal(#"{"tasks":["t-1"]}"#, "/tasks/0", "object of conditions"),
        Refusal(#"{"tasks":[{},{"name":"x"}]}"#, "/tasks/1/name", "assignee, is_milestone, planned_start"),
        Refusal(#"{"tasks":[{"colour":"x"}]}"#, "/tasks/0/colour", "is no field"),
        Refusal(#"{"retro_action_items":[{"text":"x"}]}"#, "/retro_action_items/0/text", "no such fields"),
    ])
    func whatIsNoFilterIsRefusedWithItsPlace(refusal: Refusal) { expect(refusal) }

    @Test(arguments: [
        Refusal(#"{"tasks":[{"assignee":[1,2,"x"]}]}"#, "/tasks/0/assignee/2", "must be an integer"),
        Refusal(#"{"tasks":[{"assignee":{"not":{"not":1}}}]}"#, "/tasks/0/assignee/not", "must be an integer"),
        Refusal(#"{"tasks":[{"assignee":{"from":1}}]}"#, "/tasks/0/assignee", "must be a value"),
        Refusal(#"{"tasks":[{"assignee":{"not":1,"from":1}}]}"#, "/tasks/0/assignee", "must be a value"),
        Refusal(#"{"tasks":[{"is_milestone":1}]}"#, "/tasks/0/is_milestone", "must be a boolean"),
        Refusal(#"{"tasks":[{"status":"NONE"}]}"#, "/tasks/0/status", "must be one of"),
        Refusal(#"{"tasks":[{"status":{"prefix":"N"}}]}"#, "/tasks/0/status", "must be a value"),
        Refusal(#"{"tasks":[{"sprint":{"prefix":"s"}}]}"#, "/tasks/0/sprint", "must be a value"),
        Refusal(#"{"tasks":[{"sprint":[["s"]]}]}"#, "/tasks/0/sprint/0", "must be a string"),
        Refusal(#"{"tasks":[{"planned_start":{}}]}"#, "/tasks/0/planned_start", "at least one"),
        Refusal(#"{"tasks":[{"planned_start":{"after":"2026-11-01"}}]}"#, "/tasks/0/planned_start", "must be a value"),
        Refusal(#"{"tasks":[{"planned_start":{"from":"2026"}}]}"#, "/tasks/0/planned_start/from", "YYYY-MM-DD"),
        Refusal(#"{"tasks":[{"planned_start":{"until":null}}]}"#, "/tasks/0/planned_start/until", "not be null"),
        Refusal(#"{"risks":[{"task_ids":"t"}]}"#, "/risks/0/task_ids", "has"),
        Refusal(#"{"risks":[{"task_ids":{"not":["t"]}}]}"#, "/risks/0/task_ids", "has"),
        Refusal(#"{"risks":[{"task_ids":{"has":["t",null]}}]}"#, "/risks/0/task_ids/has/1", "must be a string"),
        Refusal(#"{"samples":[{"word":{"has":"a"}}]}"#, "/samples/0/word", "prefix"),
        Refusal(#"{"samples":[{"word":{"prefix":1}}]}"#, "/samples/0/word/prefix", "must be a string"),
        Refusal(#"{"samples":[{"word":{"prefix":"\u0000"}}]}"#, "/samples/0/word/prefix", "U+0000"),
    ])
    func aValueOfAnotherTypeIsRefusedWithItsPlace(refusal: Refusal) { expect(refusal) }

    private func expect(_ refusal: Refusal) {
        let problem = #expect(throws: Problem.self) { try part(refusal.text, parameter: "filter_was") }
        #expect(problem?.code == .invalidFilter)
        #expect(problem?.errors.map(\.pointer) == [refusal.pointer])
        let place = refusal.pointer.isEmpty ? "filter_was " : "filter_was at \(refusal.pointer) "
        #expect(problem?.detail.hasPrefix(place) == true, "\(problem?.detail ?? "")")
        #expect(problem?.detail.contains(refusal.words) == true, "\(problem?.detail ?? "")")
    }

    /// A filter with that many of something, and how many there may be.
    struct Limit: Sendable {
        let most: Int
        let pointer: String
        let filter: @Sendable (Int) -> String
    }

    private static let fields = ["assignee", "is_milestone", "planned_start", "sprint", "status"]

    /// A list of tasks' alternatives with these elements.
    private static func tasks(_ elements: [String]) -> String {
        #"{"tasks":["# + elements.joined(separator: ",") + "]}"
    }

    private static let limits = [
        Limit(most: 8, pointer: "/tasks") { count in tasks((1...count).map { #"{"assignee":\#($0)}"# }) },
        Limit(most: 4, pointer: "/tasks/0") { count in
            tasks(["{" + fields.prefix(count).map { #""\#($0)":null"# }.joined(separator: ",") + "}"])
        },
        Limit(most: 50, pointer: "/tasks/0/assignee") { count in
            tasks([#"{"assignee":["# + (1...count).map(String.init).joined(separator: ",") + "]}"])
        },
        Limit(most: 2048, pointer: "") { count in "{}" + String(repeating: " ", count: count - 2) },
    ]

    @Test(arguments: limits)
    func thereIsALimit(limit: Limit) throws {
        _ = try part(limit.filter(limit.most))
        let problem = #expect(throws: Problem.self) { try part(limit.filter(limit.most + 1)) }
        #expect(problem?.code == .invalidFilter)
        #expect(problem?.errors.map(\.pointer) == [limit.pointer])
        #expect(problem?.detail.contains("must have at most") == true, "\(problem?.detail ?? "")")
    }
}
