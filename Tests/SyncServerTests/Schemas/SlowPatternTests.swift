import Foundation
import SyncProtocol
import SyncTestKit
import Testing

import SyncSchema
@testable import SyncValues

/// Patterns of an operator's schemas: no text holds the writer, and no pattern holds the start.
@Suite struct SlowPatternTests {
    private static let notes = OwnSchemas.notes([
        "code": ["type": "string", "default": "", "pattern": "^(([a-z]?[0-9]?){0,90}|[a-z0-9]*)*$"],
        "word": ["type": ["string", "null"], "default": nil, "pattern": "[a-z]*", "maxLength": 10_000],
        "title": ["type": "string", "default": ""],
    ])

    @Test func aTextWithAPatternHas4096CharactersAtMost() async throws {
        let scene = try await Scene(schemas: [SlowPatternTests.notes])
        let member = try await scene.client(.member)
        let text = String(repeating: "a1", count: 2048)
        #expect(try await member.create("notes", ["id": "n1", "code": .string(text)]).status == 201)
        let long = try await member.create("notes", ["id": "n2", "code": .string(text + "a")])
        #expect(long.errors == ["/code too_long"], "\(long.text)")
        let upload = try await member.upload(
            "notes", created: [["id": "n3", "code": .string(text + "a")]], members: ["on_error": "repair"])
        #expect(upload.at("/repaired/notes/0/to") == .string(text), "\(upload.text)")
        let word = String(repeating: "a", count: 10_000)
        #expect(try await member.patch("notes", "n1", ["word": .string(word)]).status == 200)
    }

    /// What was judged before the writer was taken counts, in all modes.
    @Test func aBadTextIsRefusedOrRepairedAsEver() async throws {
        let scene = try await Scene(schemas: [SlowPatternTests.notes])
        let member = try await scene.client(.member)
        let rows: [JSON] = [["id": "n1", "code": "ok", "word": "ok"], ["id": "n2", "code": "NO", "word": "NO"]]
        let refused = try await member.upload("notes", created: rows)
        #expect(
            refused.errors == ["/changes/notes/created/1/code bad_format", "/changes/notes/created/1/word bad_format"])
        let repaired = try await member.upload("notes", created: rows, members: ["on_error": "repair"])
        #expect(repaired.at("/repaired/notes")?.array?.map { $0["to"] } == ["", .null], "\(repaired.text)")
        let again = try await member.upload(
            "notes", updated: [["id": "n1", "code": "STILL", "word": "fine"]],
            members: ["on_error": "reject_rows", "on_conflict": "merge", "last_pulled_at": .int(member.head())])
        #expect(again.at("/rejected/notes/0/code") == "bad_format", "\(again.text)")
        #expect(try await member.patch("notes", "n1", ["code": "STILL"]).errors == ["/code bad_format"])
        #expect(try await member.patch("notes", "n1", ["code": "still"]).status == 200)
    }

    /// The example of the API's description is found without trying one way after the other.
    @Test func theStartTakesNoTime() async throws {
        let hostile = "([a-z0-9]?){60}!"
        let notes = OwnSchemas.notes(
            ["code": ["type": "string", "pattern": .string(hostile)]], ["required": ["code"]])
        let scene = try await Scene(schemas: [notes])
        let answer = try await scene.stranger.send("GET", "/openapi.json")
        #expect(answer.at("/components/schemas/notes_row/properties/code/maxLength") == 4096)
    }

    @Test(
        arguments: [
            (["type": "string", "pattern": "^([0-9]?[a-z]?){0,80}$"], "may be empty"),
            (["type": "string", "pattern": "(.{0,200}a)*", "maxLength": 1_000_000], "at most 2"),
        ] as [(JSON, String)])
    func aPatternThatTakesTooLongIsRefusedInWords(field: JSON, words: String) {
        let error = #expect(throws: SchemaError.self) {
            try OwnSchemas.registry([OwnSchemas.notes(["code": field.setting("default", to: "")])])
        }
        #expect(error.map { "\($0)".contains(words) } == true, "\(error.map { "\($0)" } ?? "")")
    }
}
