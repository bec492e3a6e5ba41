import Foundation
import Subprocess
import SyncProtocol
import SyncSchema
import SyncTestKit
import SystemPackage
import Testing

/// What `tidemark schema --format swift` prints of any schema compiles without a warning.
@Suite struct CompiledModelsTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(.timeLimit(.minutes(30))) func modelsOfAnySchemaCompile() async throws {
        try await compileProtocols()
        for seed in 1...2 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let registry = try OddSchema(&random).registry
            for allProjects in [false, true] {
                let text = SwiftModels(registry, allProjects: allProjects).text
                let name = "rows\(seed)\(allProjects ? "All" : "").swift"
                try Data(text.utf8).write(to: folder.url.appending(path: name))
                let words = try await swiftc(["-typecheck", "-I", folder.url.path, folder.path(name)])
                #expect(words.isEmpty, "seed \(seed): \(words)")
            }
        }
    }

    /// A module with the client's protocols, as they are, and a `JSON` that can do what a model needs of it.
    private func compileProtocols() async throws {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
        let queries = repository.appending(path: "Sources/SyncClientCore/Queries")
        let models = try String(contentsOf: queries.appending(path: "RowModel.swift"), encoding: .utf8)
        let values = try String(contentsOf: queries.appending(path: "RowEnum.swift"), encoding: .utf8)
        let protocols = try #require(models.components(separatedBy: "\nextension Replica").first) + values
        let json = """
            public struct JSON: Codable, Hashable, Sendable, ExpressibleByDictionaryLiteral {
                public init(dictionaryLiteral elements: (String, JSON)...) {}
            }
            """
        let text = protocols.replacing("import SyncProtocol", with: json)
        try Data(text.utf8).write(to: folder.url.appending(path: "SyncClient.swift"))
        let words = try await swiftc([
            "-emit-module", "-module-name", "SyncClient", "-o", folder.path("SyncClient.swiftmodule"),
            folder.path("SyncClient.swift"),
        ])
        #expect(words.isEmpty, "\(words)")
    }

    /// What the compiler says.
    private func swiftc(_ arguments: [String]) async throws -> String {
        let strict = [
            "-swift-version", "6", "-parse-as-library", "-warnings-as-errors", "-enable-upcoming-feature",
            "ExistentialAny", "-enable-upcoming-feature", "MemberImportVisibility", "-enable-upcoming-feature",
            "InternalImportsByDefault",
        ]
        let result = try await Subprocess.run(
            .name("swiftc"), arguments: .init(strict + arguments), output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20))
        guard result.terminationStatus == .exited(0) else {
            return "\(result.terminationStatus) \(result.standardOutput) \(result.standardError)"
        }
        return result.standardError
    }
}

/// The built-in collections, and some whose names and values mean something else in Swift, or are no names there.
private struct OddSchema {
    let registry: Registry

    init(_ random: inout SeededGenerator) throws {
        var documents = try Registry.builtIn().collections.map { ($0.name, $0.document) }
        for name in ["a_b", "ab", "a__b", "task", "string", "type_1", "type1"] {
            documents.append((name, Self.document(name, &random)))
        }
        registry = try Registry(documents: documents)
    }

    private static func document(_ name: String, _ random: inout SeededGenerator) -> JSON {
        var properties: [String: JSON] = [:]
        var required: [JSON] = []
        for field in fields where Bool.random(using: &random) {
            properties[field] = property(&random)
            if properties[field]?["readOnly"] == nil, Int.random(in: 0..<4, using: &random) == 0 {
                required.append(.string(field))
            }
        }
        return [
            "$schema": "urn:tidemark:meta-schema", "title": .string(name), "type": "object",
            "description": "Ends with */ and \"\"\" and \\(.\nNext line.", "x-uploadable": true,
            "x-roles": ["create": "MEMBER", "update": "MEMBER", "delete": "MEMBER"], "required": .array(required),
            "properties": .object(properties),
        ]
    }

    /// Each may be null or has a default, so it may be left out.
    private static func property(_ random: inout SeededGenerator) -> JSON {
        var property = kinds.randomElement(using: &random)!
        let type = property["type"]?.string ?? ""
        if Bool.random(using: &random) {
            property["type"] = [.string(type), "null"]
            property["default"] = nil
            if Int.random(in: 0..<5, using: &random) == 0 { property["readOnly"] = true }
        }
        if Bool.random(using: &random) { property["description"] = "`default` \\ */" }
        return .object(property)
    }

    private static let fields = [
        "as", "associatedtype", "async", "await", "break", "case", "catch", "class", "collection", "continue",
        "default",
        "defer", "deinit", "description", "do", "else", "encode", "enum", "extension", "fallthrough", "false", "field",
        "fileprivate", "for", "func", "get", "guard", "hash", "hash_value", "if", "import", "in", "init", "inout",
        "int",
        "int_value", "internal", "is", "json", "let", "new", "nil", "none", "operator", "optional", "precedencegroup",
        "private", "protocol", "public", "raw_value", "repeat", "rethrows", "return", "row", "row_enum", "self",
        "server__version",
        "set", "some", "static", "status", "string", "string_value", "struct", "subscript", "super", "switch",
        "task_id",
        "task__id", "throw", "throws", "true", "try", "type", "typealias", "url", "value", "var", "where", "while",
        "x_1", "x1",
        "decoder", "coding_keys", "coding_key", "double", "bool", "hasher", "any", "row_model", "actor", "macro",
        "yield",
        "id_", "project_id_", "i_d", "each", "consume", "package", "open", "weak", "unowned", "lazy", "mutating",
        "left", "right",
    ]

    private static let kinds: [[String: JSON]] = [
        ["type": "string", "default": "a \"quoted\" \\(text) e\u{301}\n"], ["type": "integer", "default": .int(.min)],
        ["type": "number", "default": 1e300], ["type": "number", "default": -0.5],
        ["type": "boolean", "default": true],
        ["type": "object", "default": [:]], ["type": "array", "default": []],
        ["type": "array", "default": [], "items": ["type": ["string", "null"]]],
        ["type": "array", "default": [], "items": ["type": "array", "items": ["type": "number"]]],
        ["type": "array", "default": [], "items": ["type": "object", "properties": ["in": ["type": "string"]]]],
        ["type": "array", "default": [], "items": ["type": ["string", "null"], "enum": ["in", "IN", "self"]]],
        ["type": "integer", "enum": [1, -1, 0, .int(.max), .int(.min)], "default": -1],
        ["type": "number", "enum": [1.5, 2], "default": 2], ["type": "boolean", "enum": [true], "default": true],
        [
            "type": "string", "default": "",
            "enum": [
                "", " ", "-", "1st", "default", "DEFAULT", "none", "some", "self", "init", "unknown", "Type", "in",
                "a-b",
                "a b", "aB", "AB", "rawValue", "raw_value", "allCases", "hashValue", "e\u{301}", "\u{E9}", "\u{1F6A9}",
                "\"", "\\", "\\(x)", "\n", "nil", "true", "Protocol", "Self", "hash", "encode", "init(rawValue:)",
            ],
        ],
    ]
}
