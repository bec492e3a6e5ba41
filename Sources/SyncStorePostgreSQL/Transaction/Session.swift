import SyncProtocol
import SyncStore

/// One transaction on a connection. It begins with the first statement, in the same flight.
final class Session {
    /// How a transaction begins.
    enum Kind: String {
        /// Sees one committed state.
        case reading = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
        /// Sees one committed state, and may mark the database.
        case copying = "BEGIN ISOLATION LEVEL REPEATABLE READ"
        /// Sees with each statement what is committed by then, and locks the projects that it works on.
        case writing = "BEGIN ISOLATION LEVEL READ COMMITTED"
    }

    let connection: Connection
    let kind: Kind
    /// Notes the heads that somebody is told of. Nil while the database is opened.
    let history: HistoryGuard?
    private var isBegun = false
    /// What a write has locked and not written yet.
    var pending = PendingWrites()

    init(_ connection: Connection, kind: Kind, history: HistoryGuard? = nil) {
        self.connection = connection
        self.kind = kind
        self.history = history
    }

    /// Queues a statement for the next flight.
    func send(
        _ sql: String, _ values: [JSON] = [], isKept: Bool = true,
        read: @escaping (Result<ResultSet, DatabaseError>) -> Void = { _ in }
    ) throws {
        try begin()
        try connection.send(sql, values, isKept: isKept, read: read)
    }

    /// The result of a statement. Whatever was queued runs before it.
    func ask(_ sql: String, _ values: [JSON] = [], isKept: Bool = true) throws -> ResultSet {
        try begin()
        return try connection.ask(sql, values, isKept: isKept)
    }

    /// Queues a statement that is used once, such as one that changes a table.
    func execute(_ sql: String) throws {
        try begin()
        try connection.send(sql, isKept: false)
    }

    func fly() throws {
        try begin()
        try connection.fly()
    }

    private func begin() throws {
        guard !isBegun else { return }
        isBegun = true
        try connection.send(kind.rawValue)
    }

    /// Ends a transaction that has only read. Nobody waits for the answer: the next flight brings it.
    func finishReading() {
        guard isBegun, !connection.isLost else { return }
        try? connection.send("COMMIT")
        try? connection.depart()
    }

    /// Runs `body`, commits and waits for the answer. Undoes everything if anything throws.
    func commit<Value>(_ body: (Session) throws -> Value) throws -> Value {
        do {
            let value = try body(self)
            try send("COMMIT")
            try fly()
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    /// Queues what is pending, the receipt and the commit.
    func finish(_ receipt: Receipt) throws {
        try pending.send(self)
        try receipt.write(self)
        try connection.send("COMMIT")
    }

    /// Undoes everything. The server ignores all that was queued after a statement that failed, up to the end of the
    /// flight. So that flight has to end first.
    func rollBack() {
        guard isBegun, !connection.isLost else { return }
        try? connection.fly()
        try? connection.send("ROLLBACK")
        try? connection.fly()
    }

    /// Undoes everything since the savepoint, which is gone afterwards.
    func undo(to savepoint: String) throws {
        try? connection.fly()
        try connection.send("ROLLBACK TO SAVEPOINT \(savepoint)")
        try connection.send("RELEASE SAVEPOINT \(savepoint)")
        try connection.fly()
    }
}
