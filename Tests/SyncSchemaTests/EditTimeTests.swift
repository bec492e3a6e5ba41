import SyncProtocol
import SyncSchema
import SyncValues
import Testing

/// Every uploadable collection has the field `modified_at`, in which clients say when they edited a row.
@Suite struct EditTimeTests {
    /// The registry with a collection `boats` that has these fields.
    private func registry(_ fields: [String: JSON], isUploadable: Bool = true) throws -> Registry {
        var documents = RegistryTests.documents
        documents["boats"] = [
            "$schema": "urn:tidemark:meta-schema", "title": "boats", "type": "object",
            "x-uploadable": .bool(isUploadable),
            "x-roles": ["create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"], "properties": .object(fields),
        ]
        return try RegistryTests.registry(documents)
    }

    @Test func aFileThatDoesNotNameItGetsIt() throws {
        let boats = try #require(try registry(["name": ["type": "string", "default": ""]])["boats"])
        #expect(boats.fields.map(\.name) == ["modified_at", "name"])
        #expect(boats.editTime?.name == "modified_at")
        #expect(boats.document["properties"]?["modified_at"]?["format"] == "date-time")
        #expect(boats.editTime?.value.isNullable == true && boats.editTime?.isServerOwned == false)
    }

    @Test func aCollectionThatIsNotUploadableDoesNotGetIt() throws {
        let boats = try #require(
            try registry(["name": ["type": "string", "default": ""]], isUploadable: false)["boats"])
        #expect(boats.fields.map(\.name) == ["name"])
        #expect(boats.editTime == nil)
    }

    @Test func aFileMayNameItItself() throws {
        let fields: [String: JSON] = [
            "modified_at": ["type": "string", "format": "date-time", "default": "2026-01-01T00:00:00.000Z"]
        ]
        #expect(try registry(fields)["boats"]?.editTime?.value.isNullable == false)
    }

    @Test(
        arguments: [
            ["type": ["string", "null"]], ["type": ["string", "null"], "format": "date"],
            ["type": "integer", "default": 0],
            ["type": "string", "format": "date-time", "readOnly": true, "x-value": "updated-at"],
            ["type": ["string", "null"], "format": "date-time", "x-role": "ADMIN"],
            ["type": ["string", "null"], "format": "date-time", "x-removed": true],
            ["type": ["string", "null"], "format": "date-time", "maxLength": 5],
            ["type": ["string", "null"], "format": "date-time", "enum": ["2026-01-01T00:00:00.000Z", nil]],
        ] as [JSON])
    func aFieldOfThatNameThatCantHoldItIsRefusedWithItsPlace(field: JSON) throws {
        let error = #expect(throws: SchemaError.self) { try registry(["modified_at": field]) }
        #expect(error?.file == "boats" && error?.pointer == "/properties/modified_at", "\(String(describing: error))")
        #expect(throws: Never.self) { try registry(["modified_at": field], isUploadable: false) }
    }

    @Test func everyUploadableBuiltInCollectionNamesIt() throws {
        for collection in try Registry.builtIn().collections {
            #expect((collection.editTime != nil) == collection.isUploadable(userWide: true), "\(collection.name)")
        }
        for (name, document) in RegistryTests.documents {
            let isUploadable = document["x-uploadable"] == true || name == "projects"
            #expect((document["properties"]?["modified_at"] != nil) == isUploadable, "\(name)")
        }
    }
}
