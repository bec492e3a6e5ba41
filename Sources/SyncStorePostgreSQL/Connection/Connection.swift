import CPQ
import Dispatch
import Foundation
import SyncProtocol

/// A connection to a PostgreSQL server in pipeline mode: statements are queued, and one flight sends all of them and
/// brings all answers back. https://www.postgresql.org/docs/15/libpq-pipeline-mode.html
///
/// It is used by one thread at a time, which waits in `poll` with a deadline. libpq itself never blocks, because a
/// commit can wait for ever for a standby that is gone.
final class Connection {
    /// What the next result belongs to.
    private enum Expected {
        case prepare(sql: String)
        case rows((Result<ResultSet, DatabaseError>) -> Void)
        case sync
    }

    let handle: OpaquePointer
    /// The names of the prepared statements by their SQL.
    private var prepared: [String: String] = [:]
    private var lastName = 0
    private var expected: [Expected] = []
    private var position = 0
    /// The first error since the last sync.
    private var failure: DatabaseError?
    private let warnings = Warnings()
    /// The number of flights so far.
    private(set) var flights = 0
    /// For how long a flight may take.
    var patience: Duration = .seconds(10)
    /// Whether the connection can't be used any more.
    private(set) var isLost = false
    /// Which run of which server it leads to. See `HistoryGuard`.
    var generation = 0

    /// Connects, and runs `settings`. Blocks. Throws `DatabaseError`. A connection that is `onlyReading` prefers a
    /// standby.
    init(_ address: ServerAddress, settings: String, onlyReading: Bool = false) throws {
        handle = try address.connect(with: onlyReading ? [("target_session_attrs", "prefer-standby")] : [])
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
        PQsetNoticeReceiver(
            handle, { Unmanaged<Warnings>.fromOpaque($0!).takeUnretainedValue().note($1) },
            Unmanaged.passUnretained(warnings).toOpaque())
        PQsetnonblocking(handle, 1)
        guard PQenterPipelineMode(handle) == 1 else { throw lostError() }
        for setting in settings.split(separator: ";") { try send(String(setting), isKept: false) }
        try fly()
    }

    deinit { PQfinish(handle) }

    /// A number such as 150018.
    var serverVersion: Int { Int(PQserverVersion(handle)) }

    /// The server's process, as whoever has answered says. A pooler says something else.
    var process: Int64 { Int64(PQbackendPID(handle)) }

    /// The name of the role that has connected.
    var user: String { PQuser(handle).map { String(cString: $0) } ?? "" }

    /// Whether the server takes no writes: a standby, or one that was set so.
    var isReadOnly: Bool { ["in_hot_standby", "default_transaction_read_only"].contains { parameter($0) == "on" } }

    func parameter(_ name: String) -> String? { PQparameterStatus(handle, name).map { String(cString: $0) } }

    // MARK: Statements

    /// Queues a statement. `read` gets its result during a later flight. Statements are prepared once, unless `isKept`
    /// is false.
    func send(
        _ sql: String, _ values: [JSON] = [], isKept: Bool = true,
        _ read: @escaping (Result<ResultSet, DatabaseError>) -> Void = { _ in }
    ) throws {
        let parameters = try Parameters(values)
        let sent = parameters.withPointers { pointers in
            guard isKept else {
                return PQsendQueryParams(handle, Self.numbered(sql), parameters.count, nil, pointers, nil, nil, 1)
            }
            return name(of: sql).map {
                PQsendQueryPrepared(handle, $0, parameters.count, pointers, nil, nil, 1)
            } ?? 0
        }
        guard sent == 1 else { throw lost() }
        expected.append(.rows(read))
    }

    /// Queues a statement and flies. Returns its result.
    func ask(_ sql: String, _ values: [JSON] = [], isKept: Bool = true) throws -> ResultSet {
        var answer: Result<ResultSet, DatabaseError>?
        try send(sql, values, isKept: isKept) { answer = $0 }
        try fly()
        return try answer!.get()
    }

    /// Sends everything that is queued, and reads all results. Throws the first error; what was queued after the
    /// statement that failed has not run.
    func fly() throws {
        try depart()
        try arrive()
    }

    /// Sends everything that is queued, without waiting for the results.
    func depart() throws {
        guard PQpipelineSync(handle) == 1 else { throw lost() }
        expected.append(.sync)
        flights += 1
        guard PQflush(handle) >= 0 else { throw lost() }
    }

    /// Reads the results of everything that was sent.
    func arrive() throws {
        let deadline = ContinuousClock.now + patience
        while position < expected.count { try receive(until: deadline) }
        expected.removeAll(keepingCapacity: true)
        position = 0
        if let failure {
            self.failure = nil
            throw failure
        }
    }

    /// Whether the server has warned since the last call that a commit may not have reached the standby: somebody
    /// cancelled the wait for it. https://www.postgresql.org/docs/15/warm-standby.html#SYNCHRONOUS-REPLICATION
    func takeReplicationWarning() -> Bool { warnings.take() }

    /// The name of the prepared statement, which is queued for preparation if it is new. Nil if that fails.
    private func name(of sql: String) -> String? {
        if let name = prepared[sql] { return name }
        lastName += 1
        let name = "s\(lastName)"
        guard PQsendPrepare(handle, name, Self.numbered(sql), 0, nil) == 1 else { return nil }
        expected.append(.prepare(sql: sql))
        prepared[sql] = name
        return name
    }

    /// The shared statements have `?1` where PostgreSQL has `$1`. Quoted text stays as it is.
    static func numbered(_ sql: String) -> String {
        var (bytes, quote) = (Array(sql.utf8), nil as UInt8?)
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                if quote == nil { quote = bytes[index] } else if quote == bytes[index] { quote = nil }
            case UInt8(ascii: "?") where quote == nil: bytes[index] = UInt8(ascii: "$")
            default: break
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    // MARK: Results

    private func receive(until deadline: ContinuousClock.Instant) throws {
        let expected = expected[position]
        switch expected {
        case .sync:
            var result = try next(until: deadline)
            if result == nil { result = try next(until: deadline) }
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_PIPELINE_SYNC else { throw lost() }
            // Nobody waits for a flight that others follow.
            if position + 1 < self.expected.count { failure = nil }
        case .prepare(let sql):
            let outcome = try outcome(until: deadline)
            if case .failure = outcome { prepared[sql] = nil }
        case .rows(let read):
            let outcome = try outcome(until: deadline)
            if case .failure(let error) = outcome, failure == nil { failure = error }
            read(outcome)
        }
        position += 1
    }

    /// The results of one statement, up to the null pointer that ends them.
    private func outcome(until deadline: ContinuousClock.Instant) throws -> Result<ResultSet, DatabaseError> {
        var outcome: Result<ResultSet, DatabaseError>?
        while let result = try next(until: deadline) {
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: outcome = .success(ResultSet(result))
            case PGRES_PIPELINE_ABORTED:
                PQclear(result)
                outcome = .failure(failure ?? lostError())
            default:
                let error = DatabaseError(result, handle)
                PQclear(result)
                if failure == nil { failure = error }
                outcome = .failure(error)
            }
        }
        return outcome ?? .failure(lostError())
    }

    private func next(until deadline: ContinuousClock.Instant) throws -> OpaquePointer? {
        while PQisBusy(handle) == 1 { try wait(until: deadline) }
        return PQgetResult(handle)
    }

    /// Waits until the server has sent something or can take more.
    private func wait(until deadline: ContinuousClock.Instant) throws {
        let unsent = PQflush(handle)
        guard unsent >= 0 else { throw lost() }
        let left = ContinuousClock.now.duration(to: deadline).milliseconds
        guard left > 0 else { throw lost("The database did not answer in time.") }
        var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        if unsent == 1 { socket.events |= Int16(POLLOUT) }
        let ready = poll(&socket, 1, Int32(min(left, 60_000)))
        guard ready >= 0 || errno == EINTR else { throw lost() }
        guard PQconsumeInput(handle) == 1 else { throw lost() }
    }

    // MARK: The end of the connection

    func lost(_ message: String? = nil) -> DatabaseError {
        isLost = true
        return message.map { DatabaseError(state: nil, message: $0) } ?? lostError()
    }

    private func lostError() -> DatabaseError {
        DatabaseError(state: nil, message: String(cString: PQerrorMessage(handle)))
    }
}

extension DatabaseError {
    init(_ result: OpaquePointer?, _ handle: OpaquePointer) {
        let state = PQresultErrorField(result, Int32(UInt8(ascii: "C")))
        let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))) ?? PQerrorMessage(handle)
        self.init(
            state: state.map { String(cString: $0) }, message: message.map { String(cString: $0) } ?? "unknown error")
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

/// Notes that arrive beside results.
private final class Warnings {
    private var isNotReplicated = false

    func note(_ result: OpaquePointer?) {
        guard let state = PQresultErrorField(result, Int32(UInt8(ascii: "C"))) else { return }
        if String(cString: state) == "01000" { isNotReplicated = true }
    }

    func take() -> Bool {
        defer { isNotReplicated = false }
        return isNotReplicated
    }
}
