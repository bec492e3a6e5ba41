import PostgreSQLTestKit
import SyncProtocol
import SyncSchema
@testable import SyncStorePostgreSQL
import SyncStoreSQL
import SyncTestKit
import SyncValues
import Testing

/// What schema files may say and a table of PostgreSQL can't hold.
@Suite struct TableLimitTests {
    private func refusal(_ change: (inout Documents) -> Void) throws -> SchemaError? {
        let registry = try Documents.registry(change)
        return #expect(throws: SchemaError.self) { try TableLimits.check(registry, PostgreSQLDialect()) }
    }

    private static func notes(_ fields: [String: JSON], key: [String]) -> (inout Documents) -> Void {
        { documents in
            documents.add("notes", fields)
            documents["notes", keyword: "x-unique"] = [["fields": .array(key.map(JSON.string))]]
        }
    }

    @Test func theBuiltInCollectionsFit() throws { try TableLimits.check(.builtIn(), PostgreSQLDialect()) }

    @Test func aKeyOfTextsWithoutALimitIsRefused() throws {
        let error = try refusal(Self.notes(["name": ["type": "string", "default": ""]], key: ["name"]))
        #expect(error?.file == "notes" && error?.pointer == "/properties/name")
        #expect(error?.reason.contains("maxLength") == true)
    }

    @Test func aKeyOfLongTextsIsRefused() throws {
        let text: JSON = ["type": "string", "default": "", "maxLength": 301]
        let error = try refusal(Self.notes(["name": text, "place": text], key: ["name", "place"]))
        #expect(error?.file == "notes" && error?.pointer == "/x-unique/0")
        #expect(error?.reason.contains("602") == true && error?.reason.contains("600") == true)
    }

    @Test func aKeyThatFitsIsTaken() throws {
        let registry = try Documents.registry(
            Self.notes(
                [
                    "name": ["type": "string", "default": "", "maxLength": 440],
                    "day": ["type": ["string", "null"], "format": "date", "default": nil],
                    "kind": ["type": "string", "enum": ["a", "b"], "default": "a"],
                    "number": ["type": "integer", "default": 0],
                ], key: ["name", "day", "kind", "number"]))
        try TableLimits.check(registry, PostgreSQLDialect())
    }

    /// A table holds 1,600 columns, more than a schema file can name.
    @Test func asManyFieldsAsAFileCanNameFit() throws {
        let fields = (0..<1000).map { ("f\($0)", ["type": ["integer", "null"], "default": nil] as JSON) }
        let registry = try Documents.registry { $0.add("notes", Dictionary(uniqueKeysWithValues: fields)) }
        try TestDatabase().open(registry).close()
    }

    @Test func aQuestionMarkInALiteralStays() {
        #expect(Connection.numbered("SELECT ?1, '?2', \"a\" = ?3") == "SELECT $1, '?2', \"a\" = $3")
    }
}
