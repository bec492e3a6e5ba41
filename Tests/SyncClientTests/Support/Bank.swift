import GRDB
import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// Tasks whose durations are points. Each commit moves points between two of them.
struct Bank {
    static let count = 12
    static let total = Int64(count * 50)

    let scratch: Scratch
    let replica: Replica
    let server = FakeServer()
    let clock = ManualClock()
    private let log = RequestLog()
    private let moves = Counter()

    init() throws {
        scratch = try Scratch()
        replica = try scratch.replica()
        server.change { state in
            for index in 0..<Self.count {
                state.put("tasks", Self.id(index), ["name": .string("T\(index)"), "duration": 50])
            }
        }
    }

    private static func id(_ index: Int) -> String { "t\(10 + index % count)" }

    var head: SyncSeq { server.state.withLock { SyncSeq($0.head) } }
    var requests: [String] { log.urls }

    /// Moves some points from one task to another.
    func move() {
        let number = moves.next()
        server.change { state in
            let ids = [Self.id(number), Self.id(number * 5 + 7)]
            let points = ids.map { state.rows["tasks"]?[$0]?.content?["duration"]?.int ?? 0 }
            let sum = Int64(number % 7) + 1
            guard ids[0] != ids[1] else { return }
            state.commit([ids[0]: ["duration": .int(points[0] - sum)], ids[1]: ["duration": .int(points[1] + sum)]])
        }
    }

    /// Changes every task.
    func moveAll() { for _ in 0..<Self.count { move() } }

    @discardableResult
    func pull(_ transport: (any Transport)? = nil, pageSize: Int = 2, keptRows: Int = 20_000) async throws
        -> PullOutcome
    {
        try await syncer(transport, pageSize: pageSize, keptRows: keptRows).pull()
    }

    func syncer(_ transport: (any Transport)? = nil, pageSize: Int = 2, keptRows: Int = 20_000) throws -> Syncer {
        var options = SyncOptions(pageSize: pageSize)
        options.readsAhead = false
        options.keptRows = keptRows
        return try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: transport ?? server,
            replica: scratch.replica(), options: options, environment: clock.environment())
    }

    /// Calls `look` and then moves points, after each answer of a page, as long as there were fewer than `limit`.
    func writing(until limit: Int, look: @escaping @Sendable () throws -> Void = {}) -> LoggedTransport {
        let hooked = HookedTransport(server) { number, answer in
            try look()
            if number > 0, number < limit { move() }
            return answer
        }
        return LoggedTransport(base: hooked, log: log)
    }

    /// The points that the replica shows.
    func sum() throws -> Int64 {
        let rows = try Replica(existing: scratch.path).rows(of: "tasks")
        return rows.reduce(0) { $0 + ($1["duration"]?.int ?? 0) }
    }

    func expectWhole(_ looks: Counter, _ place: SourceLocation = #_sourceLocation) throws {
        looks.next()
        #expect(try sum() == Self.total, sourceLocation: place)
    }

    func expectServersRows(_ place: SourceLocation = #_sourceLocation) throws {
        let live = server.live("tasks").mapValues { $0["duration"] }
        let rows = try replica.rows(of: "tasks").map { ($0["id"]?.string ?? "", $0["duration"]) }
        #expect(Dictionary(uniqueKeysWithValues: rows) == live, sourceLocation: place)
    }

    /// How many pages wait.
    func kept() throws -> Int { try count("_kept_page") }

    func count(_ table: String) throws -> Int {
        try replica.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(table)") ?? 0 }
    }

    /// A process that dies while it reads a delta: most of its pages are kept.
    func keepPages() async throws {
        try await pull()
        moveAll()
        await #expect(throws: Crash.self) { try await pull(DyingTransport(base: server, at: 6)) }
        #expect(try kept() == 4)
    }
}

/// The requests that a test's client has made.
final class RequestLog: Sendable {
    private let requests = Mutex<[String]>([])
    var urls: [String] { requests.withLock { $0 } }

    func add(_ url: String) { requests.withLock { $0.append(url) } }
}

/// Writes down what is asked for.
struct LoggedTransport: Transport {
    let base: any Transport
    let log: RequestLog

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        log.add(request.url)
        return try await base.send(request)
    }
}

/// Dies instead of the request with this number, counted from 1.
struct DyingTransport: Transport {
    let base: any Transport
    let death: Int
    private let counter = Counter()

    init(base: any Transport, at death: Int) {
        self.base = base
        self.death = death
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard counter.next() + 1 < death else { throw Crash() }
        return try await base.send(request)
    }
}

/// Says of every page that nothing was written since its drain began. A client takes every drain for one that counts.
struct LyingTransport: Transport {
    let base: any Transport

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var answer = try await base.send(request)
        if let timestamp = try? JSON(parsing: answer.body)["timestamp"]?.int {
            answer.headers["tidemark-head"] = String(timestamp)
        }
        return answer
    }
}
