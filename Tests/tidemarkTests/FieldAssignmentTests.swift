import ArgumentParser
import SyncClientCore
import SyncProtocol
import Testing

@testable import tidemark

/// `field=value` of `tidemark task`.
@Suite struct FieldAssignmentTests {
    private let tasks: CollectionSchema

    init() throws {
        let properties: JSON = [
            "name": ["type": "string"], "sprint": ["type": ["string", "null"]], "duration": ["type": "integer"],
            "percent_complete": ["type": "number"], "done": ["type": "boolean"], "labels": ["type": "array"],
            "total_float": ["type": ["integer", "null"]],
        ]
        let schema = try ServerSchema([
            "schema_version": "v", "collections": [["title": "tasks", "properties": properties]],
        ])
        tasks = schema.collections[0]
    }

    private func values(_ arguments: String...) throws -> [String: JSON] {
        try arguments.map { try #require(FieldAssignment(argument: $0)) }.values(in: tasks)
    }

    @Test func aValueIsOfTheFieldsType() throws {
        let values = try values("name=7", "duration=7", "percent_complete=12.5", "done=true", #"labels=["x"]"#)
        #expect(values == ["name": "7", "duration": 7, "percent_complete": 12.5, "done": true, "labels": ["x"]])
    }

    @Test func nothingIsNullWhereTheFieldTakesItAndElseAnEmptyText() throws {
        #expect(try values("sprint=", "total_float=", "name=") == ["sprint": nil, "total_float": nil, "name": ""])
    }

    @Test func aTextMayHoldEqualSignsAndNewLines() throws {
        #expect(try values("name=a=b\nc") == ["name": "a=b\nc"])
    }

    /// Swift treats the sign and the combining mark as one character.
    @Test func aTextMayBeginWithACombiningMark() throws {
        #expect(try values("name=\u{308}\u{301}x") == ["name": "\u{308}\u{301}x"])
        let header = try LoadGetCommand.header("X-Name:\u{308}x")
        #expect(header.name == "X-Name" && header.value.utf8.elementsEqual("\u{308}x".utf8))
    }

    @Test func anOptionsValueMayBeginWithACombiningMark() throws {
        let line = ["add", "--replica=r", "--name=\u{308}x=y", "notes=\u{308}", "--", "--id=\u{308}"]
        let separated = ["add", "--replica=r", "--name", "\u{308}x=y", "notes=\u{308}", "--", "--id=\u{308}"]
        #expect(Arguments.parsable(line) == separated)
        let arguments = Arguments.parsable(["--replica=r", "--name=\u{308}x"])
        #expect(try TaskAddCommand.parse(arguments).name == "\u{308}x")
    }

    /// A KELVIN SIGN is not a K, although Swift treats them as equal.
    @Test func aFieldIsNamedByItsBytes() throws {
        let schema = try ServerSchema([
            "schema_version": "v", "collections": [["title": "tasks", "properties": ["K": ["type": "string"]]]],
        ])
        #expect(schema.collections[0]["K"] != nil && schema.collections[0]["\u{212A}"] == nil)
    }

    @Test(arguments: ["", "=x", "name"]) func whatIsNoAssignmentIsWrongUsage(argument: String) {
        #expect(FieldAssignment(argument: argument) == nil)
    }

    @Test func aTextThatIsNoValueIsRefused() {
        #expect(throws: EditError.wrongType("duration", collection: "tasks")) { try values("duration=") }
        #expect(throws: EditError.wrongType("duration", collection: "tasks")) { try values("duration=soon") }
        #expect(throws: EditError.unknownField("nope", collection: "tasks")) { try values("nope=1") }
    }
}
