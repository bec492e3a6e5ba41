import CPQ
import Dispatch
import Foundation
import SyncProtocol
import SyncStore

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
        read: @escaping (Result<ResultSet, DatabaseError>) -> Void = { _ in }
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
        var bytes = Array(sql.utf8)
        var quote = nil as UInt8?
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

/// `COPY`, which the pipeline mode does not allow. So that mode is left meanwhile, and nothing may be queued.
/// https://www.postgresql.org/docs/15/libpq-copy.html
extension Connection {
    /// Sends what `body` gives to a `COPY … FROM STDIN`. If `body` throws, the statement fails.
    func copyIn(_ sql: String, _ body: (CopyInput) throws -> Void) throws {
        try outsideOfPipeline {
            try start(sql, PGRES_COPY_IN)
            do {
                try body(CopyInput(connection: self))
            } catch {
                PQputCopyEnd(handle, "The program gave up.")
                _ = try? end()
                throw error
            }
            guard PQputCopyEnd(handle, nil) == 1 else { throw lost() }
            try end()
        }
    }

    func put(_ bytes: UnsafeRawBufferPointer) throws {
        let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard PQputCopyData(handle, start, Int32(bytes.count)) == 1 else {
            // Either the statement has failed, or the connection is lost.
            try end()
            throw lost()
        }
    }

    /// Calls `read` with each message of a `COPY … TO STDOUT`. If it throws, the statement fails.
    func copyOut(_ sql: String, _ read: (UnsafeRawBufferPointer) throws -> Void) throws {
        try outsideOfPipeline {
            try start(sql, PGRES_COPY_OUT)
            do {
                while let message = try message() {
                    defer { PQfreemem(message.baseAddress.map(UnsafeMutableRawPointer.init(mutating:))) }
                    try read(message)
                }
            } catch {
                cancel()
                while let message = try message() {
                    PQfreemem(message.baseAddress.map(UnsafeMutableRawPointer.init(mutating:)))
                }
                _ = try? end()
                throw error
            }
            try end()
        }
    }

    /// The next message; nil after the last one.
    private func message() throws -> UnsafeRawBufferPointer? {
        var start: UnsafeMutablePointer<CChar>?
        let count = PQgetCopyData(handle, &start, 0)
        guard count >= 0 else {
            if count == -1 { return nil }
            throw lost()
        }
        return UnsafeRawBufferPointer(start: start, count: Int(count))
    }

    private func outsideOfPipeline(_ body: () throws -> Void) throws {
        guard PQexitPipelineMode(handle) == 1, PQsetnonblocking(handle, 0) == 0 else { throw lost() }
        defer {
            PQsetnonblocking(handle, 1)
            if PQenterPipelineMode(handle) != 1 { _ = lost() }
        }
        try body()
    }

    private func start(_ sql: String, _ expected: ExecStatusType) throws {
        let result = PQexec(handle, sql)
        defer { PQclear(result) }
        guard PQresultStatus(result) == expected else { throw DatabaseError(result, handle) }
    }

    /// Waits for the statement's result.
    private func end() throws {
        var failure: DatabaseError?
        while let result = PQgetResult(handle) {
            if PQresultStatus(result) != PGRES_COMMAND_OK, failure == nil { failure = DatabaseError(result, handle) }
            PQclear(result)
        }
        if PQstatus(handle) != CONNECTION_OK { throw lost() }
        if let failure { throw failure }
    }

    private func cancel() { canceller?.cancel() }
}

/// What a `COPY … FROM STDIN` takes.
struct CopyInput {
    let connection: Connection

    func send(_ bytes: UnsafeRawBufferPointer) throws { try connection.put(bytes) }
}

extension Connection {
    /// Connects for a command that reads or writes whole tables. Throws a `StoreError`.
    static func forLongWork(_ address: ServerAddress, onlyReading: Bool = false) throws(StoreError) -> Connection {
        do {
            let connection = try Connection(
                address, settings: SessionSettings.copying, onlyReading: onlyReading)
            connection.patience = .seconds(24 * 3600)
            return connection
        } catch {
            throw StoreError(
                "Can't connect to the database \(address): \((error as? DatabaseError)?.message.trimmed ?? "").",
                hint: "Check the address, and that the server runs.")
        }
    }

    /// Throws a `StoreError` if the server or the database can't be used.
    func requireUsable(_ address: ServerAddress) throws(StoreError) {
        try ServerRequirements.require(
            server: serverVersion, parameter("server_version") ?? "", encoding: parameter("server_encoding"), address)
    }
}

/// Cancels the statement that a connection is running, from any thread.
///
/// The pointer is never changed, and `PQcancel` can be called on any thread:
/// https://www.postgresql.org/docs/15/libpq-cancel.html
final class QueryCanceller: @unchecked Sendable {
    private let request: OpaquePointer

    fileprivate init(_ request: OpaquePointer) { self.request = request }

    deinit { PQfreeCancel(request) }

    /// Asks the server to end the statement. Without one, nothing happens.
    func cancel() {
        var reason = [CChar](repeating: 0, count: 256)
        PQcancel(request, &reason, 256)
    }
}

extension Connection {
    /// Nil if the connection is lost.
    var canceller: QueryCanceller? { PQgetCancel(handle).map { QueryCanceller($0) } }
}

/// What every connection sets before its first statement.
///
/// All reads are ranges in the order of an index. The planner must not choose another way because its statistics are
/// old, so plans are made once, for any value. The time limits end what somebody has forgotten.
enum SessionSettings {
    private static let all = """
        SET jit = off; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; SET enable_bitmapscan = off;
        SET lock_timeout = '10s'; SET extra_float_digits = 1; SET synchronous_commit = on;
        SET standard_conforming_strings = on;
        """

    static let readers = all + "SET statement_timeout = '10s'; SET idle_in_transaction_session_timeout = '15s'"
    /// For a transaction that waits for its client: sent one by one, up to its end.
    static let lasting = [
        "SET LOCAL statement_timeout = '60s'", "SET LOCAL idle_in_transaction_session_timeout = '70s'",
    ]
    static let writers = all + "SET idle_in_transaction_session_timeout = '15s'"
    /// Buckets need not survive a crash.
    static let throttle = all + "SET synchronous_commit = off; SET statement_timeout = '5s'"
    /// Holds a lock for as long as a job takes.
    static let job = "SET idle_session_timeout = 0"
    /// Read and write whole tables, for as long as it takes, in the order that the planner likes best.
    static let copying = """
        SET jit = off; SET lock_timeout = '60s'; SET statement_timeout = 0; SET client_min_messages = warning;
        SET idle_in_transaction_session_timeout = 0; SET extra_float_digits = 1; SET work_mem = '64MB';
        SET maintenance_work_mem = '256MB'
        """
    /// Makes and changes tables, which may take as long as it needs.
    static let opening = """
        SET lock_timeout = '120s'; SET client_min_messages = warning; SET standard_conforming_strings = on;
        SET synchronous_commit = on
        """
}
