import Foundation
import SyncProtocol
import SyncSchema
import SyncTestKit
import SyncValues
import Testing

/// Random schema files: if the server starts with them, it can serve them, whatever is sent.
@Suite struct RandomSchemaTests {
    @Test(arguments: 1...30) func noRowOfASchemaThatStartsMakesTheServerFail(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let files = RandomSchema(&random).documents
        guard let scene = try await scene(files) else { return }
        let clients = [try await scene.client(.member), try await scene.client(.owner)]
        for _ in 0..<60 {
            let client = clients.randomElement(using: &random)!
            let answer = try await write(by: client, scene.registry, &random)
            #expect(answer.status < 500, "\(JSON.array(files).text)")
        }
        for client in clients { _ = try await client.drain() }
        // The bench knows only the audiences and gates of the built-in collections.
        let broken = try await scene.bench.brokenInvariants()
        #expect(broken.allSatisfy { $0.hasPrefix("digest of ") || $0.hasPrefix("gate of ") }, "\(broken)")
    }

    /// Nil for files that the engine refuses: PostgreSQL holds no long texts in a unique key.
    private func scene(_ files: [JSON]) async throws -> Scene? {
        do { return try await Scene(schemas: files) } catch let error as SchemaError {
            guard !TestEngine.isSQLite, error.reason.contains("unique key") else { throw error }
            return nil
        }
    }

    private func write(
        by client: Client, _ registry: Registry, _ random: inout SeededGenerator
    ) async throws -> Answer {
        let collection = registry.collections.filter { $0.scope == .ordinary }.randomElement(using: &random)!
        let id = "\(collection.name)-\(Int.random(in: 1...4, using: &random))"
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return try await client.remove(collection.name, id)
        case 1: return try await client.create(collection.name, row(id, collection, &random))
        case 2:
            let patch = row(id, collection, &random).object?.filter { $0.key != "id" } ?? [:]
            return try await client.patch(collection.name, id, .object(patch))
        default: return try await client.post(batch(registry, &random))
        }
    }

    private func batch(_ registry: Registry, _ random: inout SeededGenerator) -> JSON {
        var changes: [String: JSON] = [:]
        for collection in registry.collections where collection.scope == .ordinary {
            let ids = (1...4).map { "\(collection.name)-\($0)" }
            let (created, updated) = (ids.shuffled(using: &random).prefix(3), ids.shuffled(using: &random).prefix(1))
            let deleted = ids.shuffled(using: &random).prefix(Int.random(in: 0...1, using: &random))
            changes[collection.name] = [
                "created": .array(created.map { row($0, collection, &random) }),
                "updated": .array(updated.map { row($0, collection, &random) }),
                "deleted": .array(deleted.map(JSON.string)),
            ]
        }
        return [
            "client_batch_id": .string(UUID().uuidString), "changes": .object(changes),
            "on_error": .string(["repair", "reject_rows", "reject_batch"].randomElement(using: &random)!),
            "encoding": .string(["json", "watermelondb"].randomElement(using: &random)!),
        ]
    }

    private func row(_ id: String, _ collection: Collection, _ random: inout SeededGenerator) -> JSON {
        var row: [String: JSON] = ["id": .string(id)]
        for field in collection.fields where field.isRequired || Bool.random(using: &random) {
            row[field.name] = value(of: field, &random)
        }
        return .object(row)
    }

    private func value(of field: Field, _ random: inout SeededGenerator) -> JSON {
        let target = field.reference.map { "\($0.collection)-\(Int.random(in: 1...4, using: &random))" }
        let id = JSON.string(target ?? "a")
        let fitting: [JSON] =
            switch field.value.kind {
            case .string: [id, id, id, "a", "b", "accepted", "2026-01-05", "2026-01-05T00:00:00Z"]
            case .integer: [1, 2, 3, 1, 2, 3, 4, 5]
            case .number: [1, 2.5]
            case .boolean: [true, false]
            case .array: [[], [id], [id, id], [id, .string((target ?? "b") + "0")]]
            case .object: [[:], ["a": 1], ["a": ["b": [nil]]]]
            }
        let odd: [JSON] = [nil, "", 0, "nothing", [], [:], 1e300, "a\u{0}"]
        return (Int.random(in: 0..<6, using: &random) == 0 ? odd : fitting).randomElement(using: &random)!
    }
}

/// Three collections of random keywords, sensible or not, with which the server starts.
private struct RandomSchema {
    private(set) var documents: [JSON] = []

    init(_ random: inout SeededGenerator) {
        for name in ["aa", "bb", "cc"] {
            var (fields, members): ([String: JSON], [String: JSON]) = ([:], [:])
            for field in ["f", "g", "h", "state", "user", "url"] where Bool.random(using: &random) {
                for _ in 0..<8 where fields[field] == nil {
                    let isRequired = Int.random(in: 0..<3, using: &random) == 0
                    let required = fields.keys.filter { members["required"]?.array?.contains(.string($0)) ?? false }
                    let all = (required + (isRequired ? [field] : [])).sorted().map(JSON.string)
                    let candidate = fields.merging([field: RandomSchema.field(of: name, &random)]) { $1 }
                    guard starts(name, candidate, members.merging(["required": .array(all)]) { $1 }) else { continue }
                    (fields, members["required"]) = (candidate, .array(all))
                }
            }
            for _ in 0..<4 {
                guard let (keyword, value) = RandomSchema.keyword(fields.keys.sorted(), &random) else { continue }
                if starts(name, fields, members.merging([keyword: value]) { $1 }) { members[keyword] = value }
            }
            documents.append(OwnSchemas.notes(.object(fields), members, named: name))
        }
    }

    private func starts(_ name: String, _ fields: [String: JSON], _ members: [String: JSON]) -> Bool {
        (try? OwnSchemas.registry(documents + [OwnSchemas.notes(.object(fields), members, named: name)])) != nil
    }

    private static func keyword(_ names: [String], _ random: inout SeededGenerator) -> (String, JSON)? {
        guard let name = names.randomElement(using: &random) else { return nil }
        let value: JSON = [1, "a", true, nil].randomElement(using: &random)!
        let choices: [(String, JSON)] = [
            ("x-visibility", ["own": .string(name)]), ("x-visibility", ["inherit": .string(name)]),
            ("x-visibility", ["gate": ["field": .string(name), "value": value, "role": "OWNER"]]),
            ("x-unique", [["fields": [.string(name)]]]),
            ("x-unique", [["fields": .array(names.prefix(2).map(JSON.string)), "where": [name: value]]]),
        ]
        return Bool.random(using: &random) ? choices.randomElement(using: &random) : nil
    }

    private static func field(of collection: String, _ random: inout SeededGenerator) -> JSON {
        let kind = ["string", "string", "string", "integer", "integer", "number", "boolean", "array", "object"]
            .randomElement(using: &random)!
        var field: [String: JSON] = ["type": .string(kind)]
        if Bool.random(using: &random) { field["type"] = [.string(kind), "null"] }
        let fallback: [JSON] = ["", 0, false, [], [:], nil, "a", 1]
        if Bool.random(using: &random) { field["default"] = fallback.randomElement(using: &random)! }
        let target = ["aa", "bb", "cc"].filter { $0 <= collection }.randomElement(using: &random)!
        let onDelete = ["cascade", "clear", "restrict"].randomElement(using: &random)!
        let words = [
            "project", "short-id", "caller", "created-at", "updated-at", "display-name", "link-provider", "accepted-at",
            "declined-at",
        ]
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1, 2:
            field["x-ref"] = ["collection": .string(target), "on-delete": .string(onDelete)]
            if kind == "array" { field["items"] = ["type": "string"] }
        case 3: field["x-user"] = ["on-leave": .string(["clear", "keep"].randomElement(using: &random)!)]
        case 4:
            field["readOnly"] = true
            field["x-value"] = .string(words.randomElement(using: &random)!)
        case 5: field["format"] = .string(["date", "date-time", "time"].randomElement(using: &random)!)
        case 6: field["enum"] = [["a", "accepted"], [1, 2], [nil, "b"]].randomElement(using: &random)!
        case 7: field["x-role"] = "ADMIN"
        default: break
        }
        return .object(field)
    }
}
