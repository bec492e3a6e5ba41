import GRDBSQLite
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStoreSQLite
import SyncTestKit
import SyncValues

/// Schemas: the files are either refused with a `SchemaError`, or fully usable. Every document and table can be
/// generated from them, and values can be checked against them.
enum SchemaPromises {
    private static let builtIn = Result { try Registry.builtIn() }

    static func check(_ input: [UInt8]) throws {
        let json = try accepted(or: JSONError.self) { try JSON(parsing: input, maximumDepth: 32) }
        guard let patch = json?.object else { return }
        let documents = SchemaPatch(patch, of: try builtIn.get()).documents
        let loaded = try accepted(or: SchemaError.self) { () throws -> Registry in
            try Registry(documents: documents)
        }
        guard let registry = loaded else { return }
        try promise(try Registry(documents: documents.reversed()).version == registry.version, "the version varies")
        try checkDocuments(registry)
        try checkTables(registry)
        for field in registry.collections.flatMap(\.fields) { try check(field) }
    }

    private static func checkDocuments(_ registry: Registry) throws {
        _ = OpenAPIDocument(registry).json
        _ = try accepted(or: SchemaError.self) { try WatermelonSchema(registry).text }
        _ = SwiftModels(registry, allProjects: true).text
        let types = TypeScriptTypes(registry).text
        let ends = types.split(separator: "*/", omittingEmptySubsequences: false).count
        try promise(
            types.split(separator: "/**", omittingEmptySubsequences: false).count == ends, "a comment ends early")
    }

    /// SQLite accepts the generated tables.
    private static func checkTables(_ registry: Registry) throws {
        guard let statements = try accepted(or: SchemaError.self, { try SchemaSQL(registry).statements }) else {
            return
        }
        var database: OpaquePointer?
        defer { sqlite3_close(database) }
        try promise(sqlite3_open(":memory:", &database) == SQLITE_OK, "no database")
        for statement in statements
        where sqlite3_exec(database, statement, nil, nil, nil) != SQLITE_OK {
            throw BrokenPromise(description: "\(String(cString: sqlite3_errmsg(database))): \(statement)")
        }
    }

    /// A normalized value is normal, a repaired value is valid, and both encodings preserve a value.
    private static func check(_ field: Field) throws {
        for sample in samples + [field.fallback] + (field.value.allowed ?? []) {
            let normal = try accepted(or: Violation.self) { try field.value.normalized(sample) }
            let repaired = field.value.repaired(sample, fallback: field.fallback)
            for value in [normal, repaired].compactMap({ $0 }) {
                let again = try accepted(or: Violation.self) { try field.value.normalized(value) }
                try promise(again == value, "\(field.name): \(sample.text) became \(value.text), not normal")
                for encoding in WireEncoding.allCases {
                    let back = encoding.decoded(encoding.encoded(value, of: field), of: field)
                    try promise(back == value, "\(field.name): \(value.text) comes back as \(back.text)")
                }
            }
        }
    }

    private static let samples: [JSON] = [
        nil, true, 0, 1, -1, 1.5, 9_007_199_254_740_993, .int(.max), .int(.min), 1e300, "", "a", "2026-01-05",
        "2026-01-05T00:00:00+01:00",
        "09:00:00", "Europe/Berlin", "https://example.org/", "\0e\u{301}", [], ["a", "a"], [1, [2]], [:], ["a": 1],
        ["exc_start": "2026-01-05", "exc_end": "2026-01-06"],
    ]
}
