import GRDB

/// Several connections that read the same committed state, each for a thread of its own.
///
/// SQLite shares a state between connections only if it is built with `SQLITE_ENABLE_SNAPSHOT`, and Debian's is not. So
/// the transactions are begun one after the other. They are used only if nobody committed from before the first to
/// after the last: https://sqlite.org/pragma.html#pragma_data_version
struct SameState {
    let path: String
    let interruption: Interruption

    /// Beginning takes about 0.1 ms. A server with much to write sometimes commits in that time.
    private static let attempts = 200

    /// Calls `body` with as many connections as there are `readers`, or with one if commits leave no gap. The
    /// connections are in their transactions. Each may be used from one thread at a time.
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
        // The first connection only watches for commits.
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

    /// `BEGIN` alone reads nothing yet, so it fixes no state.
    private func begin(_ reader: DatabaseQueue) throws {
        try reader.inDatabase { try $0.execute(sql: "BEGIN; SELECT count(*) FROM sqlite_master") }
    }

    private func commits(_ watcher: DatabaseQueue) throws -> Int64? {
        try watcher.inDatabase { try Int64.fetchOne($0, sql: "PRAGMA data_version") }
    }
}
