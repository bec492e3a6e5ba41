import SyncAccounts
import SyncProtocol
import SyncSchema
@testable import SyncServer
import SyncTestKit
import Testing

/// What your own schema files may say, and what the server does with them: no row can make it fail.
@Suite struct OwnSchemaTests {
    private static let lenient: [String: JSON] = ["on_error": "reject_rows"]

    private func reference(_ type: JSON, _ onDelete: String, _ members: [String: JSON] = [:]) -> JSON {
        let field: [String: JSON] = [
            "type": type, "x-ref": ["collection": "books", "on-delete": .string(onDelete)],
        ]
        return .object(field.merging(members) { $1 })
    }

    private func books(and notes: JSON, _ members: [String: JSON] = [:]) async throws -> (Scene, Client) {
        let scene = try await Scene(schemas: [
            OwnSchemas.notes(["name": ["type": "string", "default": ""]], named: "books"),
            OwnSchemas.notes(notes, members),
        ])
        let member = try await scene.client(.member)
        for id in ["b1", "b2", "b3"] { #expect(try await member.create("books", ["id": .string(id)]).status == 201) }
        #expect(try await member.remove("books", "b3").status == 204)
        return (scene, member)
    }

    // MARK: Patterns

    /// With a backtracking matcher, this upload would occupy the writer practically without end.
    @Test func aHostileTextHoldsNoWriterUp() async throws {
        let scene = try await Scene(schemas: [
            OwnSchemas.notes(["word": ["type": "string", "maxLength": 2048, "pattern": "(a+)+", "default": "a"]])
        ])
        let member = try await scene.client(.member)
        let hostile = JSON.string(String(repeating: "a", count: 2047) + "!")
        let rows = (0..<20).map { JSON.object(["id": .string("n\($0)"), "word": hostile]) }
        async let refused = member.upload("notes", created: rows)
        async let taken = member.upload("notes", created: [["id": "beside", "word": "aaa"]])
        #expect(try await taken.status == 200)
        let answer = try await refused
        #expect(answer.status == 400 && answer.errors.count == 20, "\(answer.text)")
        #expect(answer.errors.first?.hasSuffix("/word bad_format") == true, "\(answer.text)")
    }

    // MARK: References

    @Test func aListOfReferencesNamesARowOnce() async throws {
        let list = reference("array", "clear", ["items": ["type": "string"], "default": []])
        let (scene, member) = try await books(and: ["books": list])
        let rest = try await member.create("notes", ["id": "n1", "books": ["b1", "b1"]])
        #expect(rest.status == 400 && rest.errors == ["/books inconsistent"])
        let rows: [JSON] = [["id": "n2", "books": ["b1", "b2", "b1"]], ["id": "n3", "books": ["b1", "b2"]]]
        let answer = try await member.upload("notes", created: rows, members: Self.lenient)
        #expect(answer.status == 200 && answer.at("/rejected/notes/0/code") == "inconsistent")
        let repaired = try await member.upload("notes", created: rows, members: ["on_error": "repair"])
        #expect(repaired.at("/repaired/notes/0/to") == ["b1", "b2"])
        #expect(try await member.read("notes", "n2").at("/books") == ["b1", "b2"])
        #expect(try await scene.bench.brokenInvariants().isEmpty)
    }

    @Test func aRestrictReferenceToATombstoneIsRefusedWhereItCantBeNull() async throws {
        let (scene, member) = try await books(
            and: ["book": reference("string", "restrict"), "other": reference(["string", "null"], "restrict")],
            ["required": ["book"]])
        let answer = try await member.upload(
            "notes", created: [["id": "n1", "book": "b3"], ["id": "n2", "book": "b1", "other": "b3"]],
            members: Self.lenient)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(answer.at("/rejected/notes/0/code") == "unknown_reference")
        #expect(answer.at("/rejected_ids/notes") == ["n1"])
        #expect(try await member.read("notes", "n2").at("/other") == JSON.null)
        #expect(try await scene.bench.brokenInvariants().isEmpty)
    }

    /// Nobody can correct what the server writes: a superuser is in no project, but creates rows.
    @Test func aRowOfASuperuserWhoIsNoMemberIsTaken() async throws {
        let maker: JSON = [
            "type": ["integer", "null"], "readOnly": true, "x-value": "caller", "x-user": ["on-leave": "clear"],
        ]
        let scene = try await Scene(schemas: [OwnSchemas.notes(["maker": maker])])
        _ = try await scene.bench.accounts.addUser("root", isSuperuser: true)
        let answer = try await scene.client(named: "root").upload("notes", created: [["id": "n1"]])
        #expect(answer.status == 200, "\(answer.text)")
    }

    // MARK: Objects

    private static let free: JSON = ["type": "object", "default": [:]]

    @Test(arguments: ["json", "watermelondb"])
    func anObjectWithoutPropertiesTakesAnyMembers(encoding: String) async throws {
        let shape: JSON = ["type": "object", "default": [:], "properties": ["a": ["type": "integer"]]]
        let scene = try await Scene(schemas: [OwnSchemas.notes(["any": Self.free, "shape": shape])])
        let member = try await scene.client(.member)
        let value: JSON = ["b": [1, ["c": nil]], "a": 1]
        let sent = encoding == "json" ? value : .string(value.text)
        let rows: [JSON] = [["id": "n1", "any": sent, "shape": sent]]
        let answer = try await member.upload("notes", created: rows, members: ["encoding": .string(encoding)])
        #expect(answer.status == 200, "\(answer.text)")
        let row = try await member.read("notes", "n1")
        #expect(row.at("/any") == value && row.at("/shape") == ["a": 1])
        #expect(try await member.patch("notes", "n1", ["any": ["z": 1]]).at("/any") == ["z": 1])
    }

    /// At most as deep as a body can carry it in either encoding, so what is stored can be sent again.
    @Test func whatIsFreeIsNoDeeperThanABodyCarriesIt() async throws {
        let list: JSON = ["type": "array", "default": []]
        let scene = try await Scene(schemas: [OwnSchemas.notes(["any": Self.free, "list": list])])
        let member = try await scene.client(.member)
        func deep(_ levels: Int) -> JSON { (1..<levels).reduce([:] as JSON) { value, _ in ["a": value] } }
        for (levels, isTaken) in [(24, true), (25, false)] {
            let id = JSON.string("n\(levels)")
            let text = JSON.string(deep(levels).text)
            let answer = try await member.upload(
                "notes", created: [["id": id, "any": text]], members: ["encoding": "watermelondb"])
            #expect(answer.status == (isTaken ? 200 : 400), "\(answer.text)")
            #expect(answer.errors == (isTaken ? [] : ["/changes/notes/created/0/any bad_format"]))
            let inList = try await member.create("notes", ["list": [deep(levels - 1)]])
            #expect(inList.status == (isTaken ? 201 : 400), "\(inList.text)")
        }
        let row = try await member.drain().row("notes", "n24")!
        let again = try await member.upload("notes", updated: [row.setting(["any": row["any"]!.setting(["b": 1])])])
        #expect(again.status == 200, "\(again.text)")
    }

    @Test func whatIsFreeHoldsNoNull() async throws {
        let list: JSON = ["type": "array", "default": []]
        let scene = try await Scene(schemas: [OwnSchemas.notes(["any": Self.free, "list": list])])
        let member = try await scene.client(.member)
        for value in [["a": ["b\u{0}"]], ["a\u{0}": 1]] as [JSON] {
            let answer = try await member.create("notes", ["any": value])
            #expect(answer.status == 400 && answer.at("/errors/0/code") == "bad_format", "\(answer.text)")
            let inList = try await member.create("notes", ["list": [value]])
            #expect(inList.status == 400 && inList.at("/errors/0/code") == "bad_format", "\(inList.text)")
        }
    }

    // MARK: Repair

    private func repaired(
        _ notes: JSON, _ row: JSON, _ members: [String: JSON] = [:], required: JSON = []
    ) async throws -> (Answer, JSON?) {
        let (scene, member) = try await books(and: notes, ["required": required])
        let modes: [String: JSON] = ["on_error": "repair"]
        let answer = try await member.upload("notes", created: [row], members: modes.merging(members) { $1 })
        #expect(try await scene.bench.brokenInvariants().isEmpty)
        return (answer, try await member.drain().row("notes", "n1"))
    }

    private static let lists: JSON = [
        "list": ["type": "array", "default": [1]], "object": ["type": "object", "default": ["a": 1]],
        "maybe": ["type": ["array", "null"]],
    ]

    @Test func anUnsetTextOfAListCountsAsAbsent() async throws {
        let row: JSON = ["id": "n1", "list": "", "object": "", "maybe": ""]
        let (answer, stored) = try await repaired(Self.lists, row, ["encoding": "watermelondb"])
        #expect(answer.status == 200 && answer.at("/rejected") == [:], "\(answer.text)")
        #expect(stored?["list"] == [1] && stored?["object"] == ["a": 1] && stored?["maybe"] == JSON.null)
        let (plain, none) = try await repaired(Self.lists, row)
        #expect(plain.at("/rejected/notes/0/code") == "wrong_type" && none == nil)
    }

    @Test func aLiveRowWithAnUnsetTextKeepsItsListAndIsDeliveredAgain() async throws {
        let scene = try await Scene(schemas: [OwnSchemas.notes(Self.lists)])
        let member = try await scene.client(.member)
        try await member.create("notes", ["id": "n1", "list": [7]])
        let since = try await member.head()
        let answer = try await member.upload(
            "notes", updated: [["id": "n1", "list": ""]], members: ["encoding": "watermelondb", "on_error": "repair"])
        #expect(answer.status == 200 && answer.at("/rejected") == [:], "\(answer.text)")
        #expect(try await member.drain(since: since).row("notes", "n1")?["list"] == [7])
    }

    @Test func aNullOfANewRowIsItsDefaultWhereThereCanBeNone() async throws {
        let fields: JSON = [
            "count": ["type": "integer", "default": 3], "list": ["type": "array", "default": []],
            "word": ["type": "string", "enum": ["a", "b"], "default": "b"],
        ]
        let row: JSON = ["id": "n1", "count": nil, "list": nil, "word": nil]
        let (answer, stored) = try await repaired(fields, row)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(stored?["count"] == 3 && stored?["list"] == [] && stored?["word"] == "b")
        let list = answer.at("/repaired/notes")?.array ?? []
        #expect(list.count == 3 && list[0] == ["id": "n1", "field": "count", "from": nil, "to": 3])
    }

    @Test(arguments: ["", 0] as [JSON]) func anEmptyReferenceIsNull(empty: JSON) async throws {
        let fields: JSON = [
            "book": reference(["string", "null"], "clear"), "shelf": reference(["string", "null"], "restrict"),
            "who": ["type": ["integer", "null"], "x-user": ["on-leave": "keep"]],
        ]
        let (answer, stored) = try await repaired(fields, ["id": "n1", "book": empty, "shelf": empty, "who": empty])
        #expect(answer.status == 200 && answer.at("/rejected") == [:], "\(answer.text)")
        #expect(answer.at("/repaired/notes")?.array?.count == 3)
        for field in ["book", "shelf", "who"] { #expect(stored?[field] == JSON.null) }
    }

    @Test func anEmptyReferenceThatMustBeThereIsRefused() async throws {
        let (answer, stored) = try await repaired(
            ["book": reference("string", "restrict")], ["id": "n1", "book": ""], required: ["book"])
        #expect(answer.at("/rejected/notes/0/code") == "invalid_id" && stored == nil, "\(answer.text)")
    }

    // MARK: What it becomes

    @Test func whatHoldsByCodeIsInTheDescriptionsToo() throws {
        let list = reference("array", "clear", ["items": ["type": "string"], "default": []])
        let word: JSON = ["type": ["string", "null"], "enum": ["a", nil]]
        let registry = try OwnSchemas.registry([
            OwnSchemas.notes([:], named: "books"), OwnSchemas.notes(["books": list, "word": word, "any": Self.free]),
        ])
        let schemas = OpenAPIDocument(registry).json["components"]?["schemas"]
        #expect(schemas?["notes_row"]?["properties"]?["books"]?["uniqueItems"] == true)
        #expect(schemas?["notes_row"]?["properties"]?["word"]?["enum"] == ["a", nil])
        #expect(schemas?["memberships_row"]?["properties"]?["role"]?["enum"] == [1, 100, 200, 300, 400])
        let types = TypeScriptTypes(registry).text
        #expect(types.contains("word: \"a\" | null;") && types.contains("any: { [member: string]: unknown };"))
        #expect(types.contains("role: 1 | 100 | 200 | 300 | 400;"))
    }

    // MARK: Projects

    @Test func aProjectWithoutTheFieldIsNotArchived() async throws {
        let scene = try await Scene(schemas: [OwnSchemas.notes([:])])
        let owner = try await scene.client(.owner)
        #expect(try await owner.send("POST", "/projects/p1/archive/").status == 404)
    }
}
