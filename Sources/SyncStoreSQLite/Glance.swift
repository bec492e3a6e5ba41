import GRDB

/// A read-only connection for looks that are too short for a hop to a reader's queue.
struct Glance: Sendable {
    private let queue: DatabaseQueue

    init(path: String, configuration: Configuration) throws {
        var configuration = configuration
        configuration.readonly = true
        configuration.label = "tidemark glance"
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try queue.unsafeRead { db in
            var value: Value?
            try db.inTransaction(.deferred) {
                value = try body(db)
                return .commit
            }
            return value!
        }
    }
}
