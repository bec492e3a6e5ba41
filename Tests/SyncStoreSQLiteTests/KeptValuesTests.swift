import GRDB
import NIOCore
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
@testable import SyncStoreSQLite
import SyncTestKit
import SyncValues
import Testing

/// A value that is accepted is the value that is read back, by every kind of request.
@Suite struct KeptValuesTests {
    private let folder: TemporaryFolder
    private let bench: Workbench<SQLiteStore>
    private var samples: Collection { bench.registry["samples"]! }

    /// One field of each kind, nullable and not.
    private static let fields: [String: JSON] = {
        let defaults: [String: JSON] = [
            "string": "", "integer": 0, "number": 0, "boolean": false, "array": [], "object": [:],
        ]
        var fields: [String: JSON] = [:]
        for (kind, fallback) in defaults {
            var schema: [String: JSON] = ["type": .string(kind), "default": fallback]
            if kind == "object" {
                schema["properties"] = [
                    "a": ["type": "number"], "b": ["type": ["string", "null"]], "c": ["type": "array"],
                ]
            }
            fields["\(kind)_plain"] = .object(schema)
            schema["type"] = [.string(kind), "null"]
            schema["default"] = .null
            fields["\(kind)_null"] = .object(schema)
        }
        fields["numbers"] = ["type": "array", "items": ["type": "number"], "default": []]
        fields["instant"] = ["type": ["string", "null"], "format": "date-time", "default": nil]
        fields["choice"] = [
            "type": ["number", "null"], "enum": [1, 9_007_199_254_740_993, 0.5], "default": nil,
        ]
        return fields
    }()

    init() async throws {
        folder = try TemporaryFolder()
        let registry = try Documents.registry { $0.add("samples", Self.fields) }
        bench = try await Workbench(
            SQLiteStore(path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender()), registry
        )
    }

    private func check() throws -> CheckReport { try DatabaseCheck(path: folder.path("t.db")).run() }

    private func patch(_ fields: [String: JSON]) async throws -> Item {
        try await bench.items.update("s", in: samples, fields, if: .none, by: bench.caller(.owner))
    }

    @Test(
        arguments: [
            "9007199254740993", "-9007199254740993", "9223372036854775807", "-9223372036854775808",
            "9223372036854775808", "18446744073709551616", "-0.0", "-0", "1e308", "-1e-308", "5e-324", "0.1",
            "123456789012345678901234567890",
        ]) func aNumberIsKeptAsItsColumnHasIt(text: String) async throws
    {
        let value = try JSON(parsing: text)
        _ = try await bench.items.create(
            ["id": "s", "number_plain": value], in: samples, of: "p1", key: nil, by: bench.caller(.owner))
        #expect(try check().isSound)
        let row = try #require(try await bench.store.read { try $0.record(RowKey("samples", "s")) })
        #expect(row.values[samples.position("number_plain")!] == JSON(value.number!))
        let again = try await patch(["number_plain": value, "number_null": value])
        #expect(again.version == ServerVersion(2))
        #expect(try await patch(["number_plain": value, "number_null": value]).version == ServerVersion(2))
        #expect(try check().isSound)
    }

    @Test func anEnumOfNumbersTakesWhatItNames() async throws {
        _ = try await bench.items.create(
            ["id": "s", "choice": 9_007_199_254_740_993], in: samples, of: "p1", key: nil, by: bench.caller(.owner))
        #expect(try await patch(["choice": 9_007_199_254_740_993]).version == ServerVersion(1))
        #expect(try check().isSound)
    }

    @Test func anIntegerKeepsAllItsDigits() async throws {
        let values: [String: JSON] = [
            "integer_plain": 9_007_199_254_740_993, "integer_null": .int(.max),
            "numbers": [9_007_199_254_740_993, .int(.min)],
        ]
        _ = try await bench.items.create(
            values.merging(["id": "s"]) { $1 }, in: samples, of: "p1", key: nil, by: bench.caller(.owner))
        let row = try #require(try await bench.store.read { try $0.record(RowKey("samples", "s")) })
        for (name, value) in values { #expect(row.values[samples.position(name)!] == value) }
        #expect(try await patch(values).version == ServerVersion(1))
    }

    /// A file from a version that computed the checksum from the
    /// number as sent, but stored what the column makes of it.
    @Test func aRowThatWasSealedWrongIsSoundAfterTheUpgrade() async throws {
        _ = try await bench.items.create(
            ["id": "s", "number_plain": 5], in: samples, of: "p1", key: nil, by: bench.caller(.owner))
        try await bench.store.pool.write { db in
            try db.execute(sql: "UPDATE samples SET row_checksum = row_checksum + 1")
            try db.execute(sql: "UPDATE tidemark_settings SET value = '4' WHERE name = 'layout'")
        }
        try bench.store.close()
        try SQLiteStore(path: folder.path("t.db"), registry: bench.registry, opener: .server, mender: DraftMender())
            .close()
        #expect(try check().isSound)
    }

    @Test(arguments: [UInt64(1), 2, 3, 4]) func whatIsTakenIsReadBack(seed: UInt64) async throws {
        var random = RandomJSON(random: SeededGenerator(seed: seed))
        var expected: [String: [JSON]] = [:]
        for number in 0..<120 {
            var fields: [String: JSON] = ["id": .string("s\(number)")]
            var values = samples.fields.map(\.fallback)
            for (position, field) in samples.fields.enumerated() {
                let encoding = random.flip() ? WireEncoding.json : .watermelondb
                let value = encoding.decoded(random.value(for: field.value), of: field)
                guard let normal = try? field.value.normalized(value) else { continue }
                #expect(try field.value.normalized(normal) == normal, "seed \(seed): \(value.text)")
                fields[field.name] = value
                values[position] = normal
            }
            let item = try await bench.items.create(
                fields, in: samples, of: "p1", key: nil, by: bench.caller(.owner))
            expected[item.id] = values
        }
        let rows = try await bench.store.read { try $0.records(in: samples, project: "p1") }
        #expect(rows.count == 120)
        for row in rows {
            for (field, (value, wanted)) in zip(samples.fields, zip(row.values, expected[row.id]!)) {
                #expect(value == wanted, "seed \(seed): \(field.name)")
            }
        }
        try await expectPages(expected, seed)
        let report = try check()
        #expect(report.isSound, "seed \(seed): \(report.text)")
    }

    /// The pages as a client would have them.
    private func expectPages(_ expected: [String: [JSON]], _ seed: UInt64) async throws {
        for encoding in WireEncoding.allCases {
            var client = DrainClient(bench.caller(.owner))
            client.encoding = encoding
            try await client.drain(from: bench, pageSize: 50)
            for (id, values) in expected {
                let row = client.rows[RowKey("samples", id)]
                for (field, value) in zip(samples.fields, values) {
                    #expect(row?[field.name] == encoding.encoded(value, of: field), "seed \(seed): \(field.name)")
                }
            }
        }
    }
}

/// Values that a client could send, some of which belong to another field.
private struct RandomJSON {
    var random: SeededGenerator

    mutating func flip() -> Bool { random.below(2) == 0 }

    mutating func value(for schema: ValueSchema) -> JSON {
        switch random.below(8) {
        case 0: return .null
        case 1: return any(depth: 2)
        default: break
        }
        switch schema.kind {
        case .string where schema.format == .dateTime: return instant()
        case .string: return .string(text())
        case .integer, .number: return number()
        case .boolean: return .bool(flip())
        case .array: return .array((0..<random.below(4)).map { _ in any(depth: 2) })
        case .object: return ["a": number(), "b": .string(text()), "c": .array([any(depth: 1)]), "z": 1]
        }
    }

    private mutating func any(depth: Int) -> JSON {
        switch random.below(depth > 0 ? 7 : 5) {
        case 0: return .null
        case 1: return .bool(flip())
        case 2: return .string(text())
        case 3, 4: return number()
        case 5: return .array((0..<random.below(3)).map { _ in any(depth: depth - 1) })
        default: return [text(): any(depth: depth - 1)]
        }
    }

    private mutating func number() -> JSON {
        let bits = random.next()
        switch random.below(6) {
        case 0: return .int(Int64(bitPattern: bits))
        case 1: return .int((1 << 53) + Int64(bits % 5) - 2)
        case 2: return .int(Int64(bits % 100) - 50)
        case 3:
            let number = Double(bitPattern: bits)
            return JSON(number.isFinite ? number : -0.0)
        case 4: return JSON(Double(Int64(bitPattern: bits)) / 8)
        default: return JSON(Double(bits % 1000) / 10)
        }
    }

    private mutating func text() -> String {
        let scalars: [Unicode.Scalar] = [
            "a", "\"", "\\", "\u{7F}", "\u{1}", "é", "e", "\u{301}", "\u{212A}", "😀", "\u{0}", "\n", "'",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<random.below(6) { text.append(scalars[random.below(scalars.count)]) }
        return String(text)
    }

    private mutating func instant() -> JSON {
        let milliseconds = Int64(bitPattern: random.next()) % 100_000_000_000_000
        return flip() ? .int(milliseconds) : .string(Instant(milliseconds: milliseconds).text)
    }
}
