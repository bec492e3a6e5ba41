import GRDB
import SyncProtocol

extension Replica {
    /// The schema that the tables follow, inside a transaction.
    static func storedSchema(of state: ReplicaState, _ db: Database) throws -> ServerSchema? {
        try String.fetchOne(db, sql: "SELECT document FROM _schema")
            .map { try ServerSchema(JSON(parsing: $0), allProjects: state.scope == .allProjects) }
    }

    /// Makes the tables follow `schema`, in one transaction. Returns the state afterwards.
    /// Repeating the call changes nothing.
    ///
    /// The drain is dropped, since its cursor belongs to the old schema. A new table or column lacks the values of all
    /// commits up to the watermark, so it voids the watermark as well. Tables and columns that the schema no longer has
    /// stay as they are: they may hold edits that were never sent.
    func adopt(_ schema: ServerSchema) throws -> ReplicaState {
        try write { db in
            let state = try Self.state(db)
            let grown = try schema.collections.map { try TableShape(collection: $0).grow(db) }.contains(true)
            if !grown && state.schemaVersion == schema.version { return state }
            try db.execute(
                sql: "INSERT OR REPLACE INTO _schema (only, document) VALUES (1, ?)", arguments: [schema.json.text])
            var next = state.reset(resync: grown)
            next.schemaVersion = schema.version
            try Self.dropDrain(of: state, before: next, schema, db)
            try next.save(db)
            return next
        }
    }
}

extension ColumnSchema {
    var definition: String { "\(SQLName.quoted(name)) \(kind.sqlType) DEFAULT \(defaultLiteral)" }

    private var defaultLiteral: String {
        switch SQLValue.encode(defaultValue).storage {
        case .int64(let value): String(value)
        case .double(let value): String(value)
        case .string(let value) where !value.utf8.contains(0): Self.quoted(value)
        default: "NULL"
        }
    }

    /// Quotes by Unicode scalars: Swift treats a quote and a combining mark after it as one character.
    private static func quoted(_ text: String) -> String {
        var quoted = String.UnicodeScalarView("'".unicodeScalars)
        for scalar in text.unicodeScalars { quoted.append(contentsOf: scalar == "'" ? [scalar, scalar] : [scalar]) }
        return String(quoted) + "'"
    }
}

extension ColumnSchema.Kind {
    var sqlType: String {
        switch self {
        case .text, .document: "TEXT"
        case .integer, .boolean: "INTEGER"
        case .real: "REAL"
        case .any: "ANY"
        }
    }
}
