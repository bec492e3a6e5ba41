import GRDB

/// A read-only connection for reads that are too short to hand over to a reader's queue.
struct InlineReader: Sendable {
    private let queue: DatabaseQueue

    init(path: String, configuration: Configuration) throws {
        var configuration = configuration
        configuration.readonly = true
        configuration.label = "tidemark inline reader"
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    func close() throws { try queue.close() }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try queue.unsafeRead { db in
            // `inTransaction` would compile its statements each time.
            try db.cachedStatement(sql: "BEGIN").execute()
            defer { try? db.cachedStatement(sql: "COMMIT").execute() }
            return try body(db)
        }
    }
}
