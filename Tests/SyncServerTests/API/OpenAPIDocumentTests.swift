import Foundation
import HTTPTypes
import SyncProtocol
import SyncSchema
import Testing

@testable import SyncServer

/// The document as a value.
@Suite struct OpenAPIDocumentTests {
    let registry: Registry
    /// Includes endpoints whose routes do not exist yet.
    let whole: OpenAPIDocument

    init() throws {
        registry = try Registry.builtIn()
        let items = registry.collections.flatMap(Endpoint.items)
        let endpoints = Endpoint.served(registry).filter { served in !items.contains { $0.id == served.id } }
        whole = OpenAPIDocument(
            endpoints + items + Endpoint.accounts.filter { account in !endpoints.contains { $0.id == account.id } },
            registry)
    }

    @Test func theCheckedInDocumentIsTheOneOfTheBuiltInCollections() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Schemas/openapi.json")
        let isEqual = try String(contentsOf: file, encoding: .utf8) == OpenAPIDocument(registry).json.prettyText
        #expect(isEqual, "Make it anew: swift run tidemark schema --format openapi > Schemas/openapi.json")
    }

    @Test func everyReferenceLeadsSomewhere() {
        let references = whole.json.references
        #expect(references.count > 100)
        for reference in references { #expect(whole.json.at(String(reference.dropFirst())) != nil, "\(reference)") }
    }

    @Test func everyComponentSchemaIsReferredTo() {
        let names = Set(whole.json.references)
        for name in whole.schemas.keys { #expect(names.contains("#/components/schemas/\(name)"), "\(name)") }
    }

    /// Otherwise code generators invent names such as `InlineObject17`.
    @Test func everyObjectOfABodyOrAnswerHasAName() {
        for endpoint in whole.endpoints {
            for schema in ([endpoint.body] + endpoint.answers.map(\.schema)).compactMap({ $0 }) {
                #expect(schema["properties"] == nil && schema["allOf"] == nil, "\(endpoint.id): \(schema.text)")
            }
        }
        for (name, schema) in whole.schemas {
            for member in schema["properties"]?.object ?? [:] {
                #expect(member.value["properties"] == nil, "\(name).\(member.key)")
            }
        }
        let names = whole.schemas.keys.map { $0.replacing("_", with: "").lowercased() }
        #expect(Set(names).count == names.count)
    }

    @Test func everyDescriptionBeginsWithAWord() {
        let descriptions = whole.json.values(of: "description")
        #expect(descriptions.count > 100)
        for description in descriptions {
            #expect(
                description.string.map { $0.first?.isLetter == true || $0.hasPrefix("`") } ?? true, "\(description)")
        }
    }

    @Test func everyBodyAndAnswerHasAnExample() {
        let contents = whole.json.values(of: "content").compactMap { $0["application/json"] }
        #expect(contents.count >= 100)
        for content in contents { #expect(content["example"]?.isNull == false, "\(content.text)") }
    }

    @Test func everyOperationHasAnIDOfItsOwnAndAPlaceOfItsOwn() {
        let endpoints = whole.endpoints
        #expect(Set(endpoints.map(\.id)).count == endpoints.count)
        #expect(Set(endpoints.map { "\($0.method) \($0.path)" }).count == endpoints.count)
    }

    @Test func thePathAndItsParametersNameTheSame() {
        for endpoint in whole.endpoints {
            let inPath = endpoint.path.matches(of: /\{(\w+)\}/).map { String($0.output.1) }
            #expect(inPath.sorted() == endpoint.parameters.filter { $0.place == .path }.map(\.name).sorted())
        }
    }

    @Test func noStatusIsBothAnAnswerAndAProblem() {
        for endpoint in whole.endpoints {
            let problems = Set(endpoint.codesByStatus.map(\.status.code))
            #expect(problems.isDisjoint(with: endpoint.answers.map(\.status.code)), "\(endpoint.id)")
            #expect(Set(endpoint.answers.map(\.status.code)).count == endpoint.answers.count)
        }
    }

    @Test func aRowHasEveryFieldAndABodyOnlyThoseThatClientsWrite() throws {
        for collection in registry.collections {
            let components = CollectionSchemas(collection: collection).components
            let row = try #require(components["\(collection.name)_row"])
            let names = Set(collection.fields.map(\.name)).union(["id", "server_version"])
            #expect(Set(row["properties"]?.object?.keys.map { $0 } ?? []) == names)
            #expect(Set(row["required"]?.strings ?? []) == names)
            let writable = Set(collection.fields.filter { !$0.isServerOwned }.map(\.name))
            let patch = try #require(components["\(collection.name)_patch"])
            #expect(Set(patch["properties"]?.object?.keys.map { $0 } ?? []) == writable)
            #expect(patch["required"] == nil)
            let create = try #require(components["\(collection.name)_create"])
            let required = collection.fields.filter { $0.isRequired && !$0.isServerOwned }.map(\.name).sorted()
            #expect((create["required"]?.strings ?? []) == required)
        }
    }

    @Test func theCollectionsDialectIsTranslated() throws {
        let file: JSON = [
            "$schema": "urn:tidemark:meta-schema", "title": "boats", "type": "object",
            "x-roles": ["create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"],
            "properties": [
                "kind": ["type": ["string", "null"], "enum": ["a", "b"], "default": "a"],
                "sails_at": ["type": "string", "format": "time", "default": "09:00:00"],
                "code": ["type": ["string", "null"], "pattern": "[a-z]+"],
            ],
        ]
        let documents = registry.collections.map { ($0.name, $0.document) } + [("boats", file)]
        let boats = try #require(try Registry(documents: documents)["boats"])
        let create = try #require(CollectionSchemas(collection: boats).components["boats_create"]?["properties"])
        #expect(create["kind"]?["enum"] == ["a", "b", nil])
        #expect(create["kind"]?["default"] == "a")
        #expect(create["sails_at"]?["format"] == nil)
        #expect(create["code"]?["pattern"] == "^(?:[a-z]+)$")
        #expect(create["code"]?["default"] == nil)
    }

    @Test func theDocumentFollowsTheSchemasThatAreServed() throws {
        var documents = registry.collections.map { ($0.name, $0.document) }
        documents.removeAll { $0.0 == "time_entries" }
        let document = OpenAPIDocument(try Registry(documents: documents))
        #expect(document.schemas["PulledCollections"]?.at("/properties/time_entries") == nil)
        #expect(document.schemas["PulledCollections"]?.at("/properties/tasks") != nil)
    }
}

extension JSON {
    /// The members with this name, at any depth.
    fileprivate func values(of name: String) -> [JSON] {
        switch self {
        case .array(let elements): elements.flatMap { $0.values(of: name) }
        case .object(let members): members.values.flatMap { $0.values(of: name) } + (members[name].map { [$0] } ?? [])
        default: []
        }
    }

    /// Every `$ref`, at any depth.
    fileprivate var references: [String] {
        switch self {
        case .array(let elements): elements.flatMap(\.references)
        case .object(let members): members.values.flatMap(\.references) + (members["$ref"]?.string.map { [$0] } ?? [])
        default: []
        }
    }
}
