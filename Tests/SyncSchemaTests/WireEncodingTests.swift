import SyncProtocol
import SyncSchema
import SyncValues
import Testing

@Suite struct WireEncodingTests {
    private static let fields: [String: JSON] = [
        "text": ["type": "string", "default": ""],
        "list": ["type": ["array", "null"], "default": .null, "items": ["type": "string", "maxLength": 3]],
        "object": ["type": "object", "default": [:], "properties": ["n": ["type": "integer"]]],
        "at": ["type": ["string", "null"], "format": "date-time", "default": .null],
        "flag": ["type": "boolean", "default": false],
        "number": ["type": "number", "default": 0],
    ]

    private func field(_ name: String) throws -> Field {
        var documents = RegistryTests.documents
        let risks = try #require(documents["risks"]?["properties"]?.object)
        documents["risks"]?["properties"] = .object(risks.merging(Self.fields) { $1 })
        return try #require(RegistryTests.registry(documents)["risks"]?.field(name))
    }

    @Test(
        arguments: [
            ("text", "[1]", "[1]"), ("list", ["a", "b"], #"["a","b"]"#), ("list", .null, .null),
            ("object", ["n": 1], #"{"n":1}"#), ("at", "1970-01-01T00:00:01.500Z", 1500), ("at", .null, .null),
            ("at", "0001-01-01T00:00:00.000Z", -62_135_596_800_000), ("flag", true, true), ("number", 0.5, 0.5),
        ] as [(String, JSON, JSON)]) func valuesGoOutAndComeBack(name: String, normal: JSON, encoded: JSON) throws
    {
        let field = try field(name)
        #expect(WireEncoding.watermelondb.encoded(normal, of: field) == encoded)
        #expect(WireEncoding.watermelondb.decoded(encoded, of: field) == normal)
        #expect(WireEncoding.json.encoded(normal, of: field) == normal)
        #expect(WireEncoding.json.decoded(encoded, of: field) == encoded)
    }

    @Test(
        arguments: [
            ("list", "[", "["), ("list", 7, 7), ("at", 1e300, 1e300), ("at", "x", "x"), ("flag", 2, 2),
            ("flag", 1, true),
            ("flag", 0, false), ("number", 1, 1), ("list", ["a"], ["a"]),
        ] as [(String, JSON, JSON)]) func whatCannotBeReadStays(name: String, sent: JSON, normal: JSON) throws
    {
        #expect(try WireEncoding.watermelondb.decoded(sent, of: field(name)) == normal)
    }

    @Test func aMistakeInsideATextIsToldByItsField() throws {
        let list = try field("list")
        let violation = #expect(throws: Violation.self) { try list.value.normalized(["a", "long"]) }
        let worded = WireEncoding.watermelondb.worded(try #require(violation), of: list)
        #expect(worded.pointer == "")
        #expect(worded.detail.contains("/1"))
    }
}
