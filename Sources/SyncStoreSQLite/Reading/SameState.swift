import GRDB

/// Several connections that read one committed state, each for a thread of its own.
///
/// SQLite shares a state between connections only where it is built for that (`SQLITE_ENABLE_SNAPSHOT`), which Debian's
/// is not. So transactions are begun one after the other, and are good where nobody committed from before the first to
/// after the last: https://sqlite.org/pragma.html#pragma_data_version
struct SameState {
    let path: String
    let interruption: Interruption

    /// Beginning takes some 0.1 ms, in which a server with much to write commits now and then.
    private static let attempts = 200

    /// Has `body` read by as many connections as there are `readers`, or by one where commits leave no gap. They are in
    /// their transactions, and each may be used from one thread at a time.
    func read<Value>(
        by readers: Int, preparing prepare: @escaping @Sendable (Database) throws -> Void,
        _ body: ([DatabaseQueue]) throws -> Value
    ) throws -> Value {
        guard readers > 1 else {
            return try open(1, [], prepare) { queues in
                try begin(queues[0])
                return try body(queues)
            }
        }
        // The first only looks for commits.
        return try open(readers + 1, [], prepare) { queues in
            let readers = Array(queues.dropFirst())
            return try body(try beginTogether(readers, watchedBy: queues[0]))
        }
    }

    private func open<Value>(
        _ count: Int, _ queues: [DatabaseQueue], _ prepare: @escaping @Sendable (Database) throws -> Void,
        _ body: ([DatabaseQueue]) throws -> Value
    ) throws -> Value {
        guard queues.count < count else { return try body(queues) }
        return try interruption.reading(path, preparing: prepare) { try open(count, queues + [$0], prepare, body) }
    }

    private func beginTogether(_ readers: [DatabaseQueue], watchedBy watcher: DatabaseQueue) throws -> [DatabaseQueue] {
        for _ in 0..<SameState.attempts {
            try interruption.requireNone()
            let before = try commits(watcher)
            for reader in readers { try begin(reader) }
            if try commits(watcher) == before { return readers }
            for reader in readers { try reader.inDatabase { try $0.execute(sql: "ROLLBACK") } }
        }
        try begin(readers[0])
        return [readers[0]]
    }

    /// `BEGIN` alone reads nothing yet, and so holds no state.
    private func begin(_ reader: DatabaseQueue) throws {
        try reader.inDatabase { try $0.execute(sql: "BEGIN; SELECT count(*) FROM sqlite_master") }
    }

    private func commits(_ watcher: DatabaseQueue) throws -> Int64? {
        try watcher.inDatabase { try Int64.fetchOne($0, sql: "PRAGMA data_version") }
    }
}
