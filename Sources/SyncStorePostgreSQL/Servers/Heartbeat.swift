import Dispatch
import SyncProtocol
import SyncStore
import Synchronization

/// Writes durably, once a second, that this server runs. A primary that is cut off from its synchronous standby can't
/// take that, so a server that hears of nobody else's commits stops answering before another primary takes any.
///
/// Each time it compares this machine's clock with the database's.
///
/// It has a connection and a queue of its own, because nothing that keeps the server busy may delay it.
final class Heartbeat: Sendable {
    private struct State {
        var lastBeat = ContinuousClock.now
        var servers = 1
        var watchers: [@Sendable (String) -> Void] = []
        var isStopped = false
    }

    /// The connection, which is used on the queue alone.
    private final class Place: @unchecked Sendable {
        var connection: Connection?
    }

    private static let pause: Duration = .seconds(1)
    /// Shorter than the time after which a failover happens. For Patroni that is `ttl`, 30 seconds unless it is set.
    static let patience: Duration = .seconds(5)

    private let line: DatabaseLine
    private let patience: Duration
    private let name = "\(UInt64.random(in: .min ... .max))"
    private let queue = DispatchQueue(label: "tidemark heartbeat")
    private let place = Place()
    private let state = Mutex(State())

    init(_ line: DatabaseLine, patience: Duration = Heartbeat.patience) {
        self.line = line
        self.patience = patience
    }

    func start() { queue.async { self.beat() } }

    /// Waits for the beat under way.
    func stop() {
        state.withLock { $0.isStopped = true }
        queue.sync {
            _ = try? place.connection?.ask("DELETE FROM tidemark_nodes WHERE name = ?1", [.string(name)])
            place.connection = nil
        }
    }

    /// Whether the database has taken a heartbeat lately.
    var isFresh: Bool { age < patience }

    /// Throws if the database has taken no heartbeat for too long.
    func requireFresh() throws {
        guard isFresh else {
            throw DatabaseError(state: nil, message: "The database has taken no heartbeat.")
        }
    }

    /// The time since the database took the last heartbeat.
    var age: Duration { state.withLock { ContinuousClock.now - $0.lastBeat } }

    /// The number of servers that have written within ten seconds, as the last heartbeat has seen it.
    var servers: Int { state.withLock { $0.servers } }

    /// Calls `body` with a sentence for the operator when the two clocks part, and when they agree again.
    func onClockGap(_ body: @escaping @Sendable (String) -> Void) { state.withLock { $0.watchers.append(body) } }

    /// Deletes the rows of servers that are gone.
    static func purge(_ connection: Connection) throws {
        _ = try connection.ask("DELETE FROM tidemark_nodes WHERE seen_at < now() - interval '1 day'")
    }

    private func beat() {
        guard !state.withLock(\.isStopped) else { return }
        let begun = ContinuousClock.now
        var pause = Self.pause
        do {
            let connection = try connected()
            connection.patience = .seconds(2)
            try connection.send(Self.statement, [.string(name)])
            var servers: Int64 = 1
            let gap = try ClockGap(line.history.clock.machine) {
                guard let row = try connection.ask(Self.count).first else { return nil }
                servers = row.integer(0)
                return row.integer(1)
            }
            if connection.takeReplicationWarning() { throw DatabaseError.notReplicated }
            state.withLock { state in
                state.lastBeat = begun
                state.servers = max(1, Int(servers))
            }
            note(gap)
        } catch {
            pause = Self.pause / 10
        }
        queue.asyncAfter(deadline: .now() + .milliseconds(Int(pause / .milliseconds(1)))) { [weak self] in
            self?.beat()
        }
    }

    private func note(_ gap: ClockGap) {
        guard line.history.clock.correct(by: gap) else { return }
        let sentence = gap.sentence ?? "The clock of this machine agrees with the database's again."
        for watcher in state.withLock(\.watchers) { watcher(sentence) }
    }

    private func connected() throws -> Connection {
        if let connection = place.connection, line.isUsable(connection) { return connection }
        let connection = try line.open()
        place.connection = connection
        return connection
    }

    private static let count = """
        SELECT count(*), \(ClockGap.databaseTime) FROM tidemark_nodes WHERE seen_at > now() - interval '10 s'
        """
    private static let statement = """
        INSERT INTO tidemark_nodes (name, seen_at) VALUES (?1, now())
        ON CONFLICT (name) DO UPDATE SET seen_at = excluded.seen_at
        """
}

/// By how much the clock of this machine is ahead of the database's; negative if it is behind.
///
/// The answer of the database takes some time. A difference that this time explains counts as none, so two processes on
/// one machine have no gap.
struct ClockGap: Sendable, Equatable {
    /// Tokens and limits bear with clocks that differ by this many milliseconds.
    private static let bound: Int64 = 60_000
    /// Milliseconds since 1970, as an expression of SQL. The time of a transaction's begin would be too early.
    static let databaseTime = "CAST(FLOOR(EXTRACT(EPOCH FROM clock_timestamp()) * 1000) AS BIGINT)"

    let milliseconds: Int64

    /// `ask` returns the database's time.
    init(_ machine: WallClock, _ ask: () throws -> Int64?) rethrows {
        let before = machine.now().milliseconds
        let theirs = try ask()
        let after = machine.now().milliseconds
        guard let theirs, theirs < before || theirs > after else {
            milliseconds = 0
            return
        }
        milliseconds = theirs < before ? before - theirs : after - theirs
    }

    init(_ machine: WallClock, _ connection: Connection) throws {
        try self.init(machine) { try connection.ask("SELECT \(Self.databaseTime)").first?.integer(0) }
    }

    /// No gap.
    init() { milliseconds = 0 }

    var duration: Duration { .milliseconds(milliseconds) }
    var isTooWide: Bool { abs(milliseconds) > Self.bound }

    /// Nil for a gap within the bound.
    var sentence: String? {
        guard isTooWide else { return nil }
        let side = milliseconds > 0 ? "ahead of" : "behind"
        return "The clock of this machine is \(abs(milliseconds) / 1000) s \(side) the database's."
    }

    static let remedy = "Set the clocks of both machines by the network, such as with: timedatectl set-ntp true"
}

/// The database's clock as this server knows it: the machine's, corrected by what the last heartbeat has found. So a
/// server whose machine has another time judges ages as the other servers do.
final class DatabaseClock: Sendable {
    let machine: WallClock
    private let last = Mutex(ClockGap())

    init(_ machine: WallClock = .system) { self.machine = machine }

    /// How far the machine's clock is from the database's.
    var gap: ClockGap { last.withLock { $0 } }

    /// The corrected clock.
    var wallClock: WallClock { WallClock { self.machine.now().advanced(by: .zero - self.gap.duration) } }

    /// Corrects the clock from now on. Returns whether the two clocks have parted, or agree again.
    func correct(by gap: ClockGap) -> Bool {
        last.withLock { last in
            defer { last = gap }
            return last.isTooWide != gap.isTooWide
        }
    }
}
