import Foundation
import GRDB
import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// Random runs: others write several rows in a commit, also between two pages; the device edits and pushes; answers are
/// lost, processes die between any two requests, an older client works on the file, the server is restored. Whenever
/// the replica is settled, it shows what the server had at that commit, except for own edits that came later.
@Suite(.timeLimit(.minutes(30))) struct SettledRunTests {
    /// The last two found kept pages that an older client had made void and that were stored all the same.
    @Test(arguments: Array(1...20) + [38, 218] as [UInt64], [SyncScope.project("p"), .allProjects])
    func everySettledStateIsOneThatWas(seed: UInt64, scope: SyncScope) async throws {
        var run = try SettledRun(seed: seed, scope: scope)
        let faults = try await run.faults(steps: 25)
        #expect(faults == [], "seed \(seed)")
    }

    @Test(arguments: PlantedMistake.allCases)
    func aPlantedMistakeIsFound(mistake: PlantedMistake) async throws {
        for seed in 1...50 as ClosedRange<UInt64> {
            var run = try SettledRun(seed: seed, scope: .project("p"), mistake: mistake)
            if try await run.faults(steps: 25) != [] { return }
        }
        Issue.record("\(mistake) was not found in 50 runs")
    }
}

/// Mistakes of clients, planted from outside: the library needs no hook for them.
enum PlantedMistake: CaseIterable {
    /// Every drain counts.
    case withoutTheRule
    /// A drain that was taken up again is taken for one of a single page.
    case resumedCounts
    /// A kept page is there again after it was stored.
    case keptTwice
    /// Pages that were kept before an older client moved the watermark are stored.
    case keptAfterAMove
    /// An answer to an upload clears the watermark.
    case pushClears
}

/// One run and its random generator.
struct SettledRun {
    private static let collections = ["sprints", "tasks"]
    private static let ids = 14

    private let server = FakeServer()
    private let scratch: Scratch
    private let scope: SyncScope
    private let mistake: PlantedMistake?
    private let clock = ManualClock()
    private let dice: Dice
    private let looks: Looks

    init(seed: UInt64, scope: SyncScope, mistake: PlantedMistake? = nil) throws {
        self.scope = scope
        self.mistake = mistake
        scratch = try Scratch()
        dice = Dice(seed: seed)
        let replica = try Replica(path: scratch.path, scope: scope)
        looks = Looks(replica: replica, server: server)
        // A digest would find some of the mistakes, and heal them.
        if mistake != nil || seed % 2 == 0 { server.change { $0.hasDigests = false } }
        if mistake == .pushClears {
            try replica.edit(
                """
                CREATE TRIGGER planted AFTER UPDATE OF timestamp ON _batch BEGIN
                    UPDATE _replica SET since = 0, step = step + 1;
                END
                """)
        }
    }

    /// What was wrong in a run of so many steps, after which everything heals.
    mutating func faults(steps: Int) async throws -> [String] {
        for _ in 0..<steps where looks.faults.isEmpty { try await step() }
        guard looks.faults.isEmpty else { return looks.faults }
        let outcome = try await syncer(base, pageSize: 5).sync()
        looks.look()
        looks.expect(outcome.pulled?.isSettled == true, "it does not settle at the end")
        looks.expectEqual()
        return looks.faults
    }

    private mutating func step() async throws {
        for _ in 0..<dice.roll(5) { Self.write(server, dice) }
        switch dice.roll(20) {
        case 0: purge()
        case 1: try restore()
        case 2...6: try edit()
        case 7...9: try await exchange(.push)
        case 10: try await exchange(.both)
        case 11: try await olderClient()
        case 12: looks.reopen(try Replica(path: scratch.path, scope: scope))
        default: try await exchange(.pull)
        }
        looks.look()
    }

    // MARK: The server

    private static func write(_ server: FakeServer, _ dice: Dice) {
        server.change { state in
            let ids = (0...dice.roll(3)).map { _ in "r\(dice.roll(Self.ids))" }
            if dice.roll(4) == 0 { return state.delete("tasks", ids[0]) }
            if dice.roll(5) == 0 { return state.put("sprints", ids[0], ["name": .string("n\(dice.roll(99))")]) }
            let name = JSON.string("n\(dice.roll(1000))")
            state.commit(Dictionary(ids.map { ($0, ["name": name]) }, uniquingKeysWith: { $1 }))
        }
    }

    private func purge() {
        server.change { $0.purge() }
        looks.mayVoid()
    }

    private func restore() throws {
        server.change { state in
            for (name, rows) in state.rows { state.rows[name] = rows.filter { _ in dice.roll(4) > 0 } }
            state.head += 1000
            state.horizon = state.head
            state.generation += 1
        }
        looks.mayVoid()
    }

    private var base: any Transport { scope == .allProjects ? AllProjectsServer(server: server) : server }

    // MARK: The device

    private func edit() throws {
        guard try looks.replica.schema() != nil else { return }
        let id = "r\(dice.roll(Self.ids))"
        do {
            switch dice.roll(4) {
            case 0: try looks.replica.delete(id, from: "tasks")
            case 1:
                var fields: [String: JSON] = ["name": .string("mine\(dice.roll(99))")]
                if scope == .allProjects { fields["project_id"] = "p" }
                try looks.replica.insert(fields, into: "tasks", id: id)
            default: try looks.replica.update(id, in: "tasks", with: ["name": .string("mine\(dice.roll(99))")])
            }
        } catch is EditError {}
    }

    private func syncer(_ transport: any Transport, pageSize: Int) throws -> Syncer {
        var options = SyncOptions(pageSize: pageSize)
        options.readsAhead = false
        options.keptRows = 25
        return try Syncer(
            remote: Remote(url: "http://server", scope: scope, token: "t"), transport: transport,
            replica: looks.replica, options: options, environment: clock.environment())
    }

    private func exchange(_ direction: SyncDirection) async throws {
        let before = try Planted(looks.replica)
        if dice.roll(3) == 0 { server.change { $0.refusesStreams.toggle() } }
        let (server, dice, looks, mistake) = (server, dice, looks, mistake)
        let flaky = SpoilingTransport(base: base, mistake: mistake) { answer in
            looks.look()
            return try Self.spoil(answer, server, dice)
        }
        do {
            let syncer = try syncer(flaky, pageSize: 1 + dice.roll(4))
            switch direction {
            case .pull: _ = try await syncer.pull()
            case .push: _ = try await syncer.push()
            case .both: _ = try await syncer.sync()
            }
        } catch is Crash {
        } catch SyncError.gaveUp {
        } catch SyncError.refused {}
        if mistake == .keptTwice { try before.storeAgain(in: looks.replica) }
    }

    private static func spoil(
        _ answer: TransportResponse, _ server: FakeServer, _ dice: Dice
    ) throws -> TransportResponse {
        switch dice.roll(30) {
        case 0, 1: throw Crash()
        case 2: throw TransportError.interrupted("answer lost")
        case 3: return TransportResponse(status: 200, body: answer.body.prefix(answer.body.count / 2))
        case 4: return .problem(503, .busy, headers: ["Retry-After": "3"])
        case 5: server.change { $0.generation += 1 }
        case 6...16: write(server, dice)
        default: break
        }
        return answer
    }

    private func olderClient() async throws {
        let state = try looks.replica.state()
        guard state.since > .zero, state.settled != nil || state.drain == nil else { return }
        let before = try Planted(looks.replica)
        let older = OlderClient(replica: looks.replica, transport: base, pageSize: 3)
        // It may leave an open drain. Its whole drains are of one commit here.
        try await older.drain(pages: dice.roll(3) == 0 ? 1 : .max)
        if mistake == .keptAfterAMove { try before.storeAgain(in: looks.replica) }
        if dice.roll(2) == 0 { looks.reopen(try Replica(path: scratch.path, scope: scope)) }
    }
}

/// Looks at the replica as an app does, and compares.
private final class Looks: Sendable {
    private struct State {
        var replica: Replica
        var last: SyncSeq?
        var since = SyncSeq.zero
        var isVoid = false
        var faults: [String] = []
    }

    private static let first = Int64(1) << 52
    private let server: FakeServer
    private let state: Mutex<State>

    init(replica: Replica, server: FakeServer) {
        self.server = server
        state = Mutex(State(replica: replica))
    }

    var replica: Replica { state.withLock { $0.replica } }
    var faults: [String] { state.withLock { $0.faults } }

    func reopen(_ replica: Replica) { state.withLock { $0.replica = replica } }

    /// The server may void watermarks.
    func mayVoid() { state.withLock { $0.isVoid = true } }

    func expect(_ isRight: Bool, _ fault: @autoclosure () -> String) {
        if !isRight {
            let text = fault()
            state.withLock { $0.faults.append(text) }
        }
    }

    func look() {
        do { try compare() } catch { expect(false, "\(error)") }
    }

    private func compare() throws {
        let (settled, since) = try (replica.state().settled, replica.state().since)
        let isLost = state.withLock { state in
            defer { state.since = since }
            return since < state.since && !state.isVoid
        }
        expect(!isLost, "the watermark is void")
        let last = state.withLock { state in
            defer { state.last = settled ?? state.last }
            return state.last
        }
        if let settled, let last { expect(settled >= last, "it goes back from \(last) to \(settled)") }
        guard let settled else { return }
        let number = settled.rawValue > Self.first ? settled.rawValue - Self.first : settled.rawValue
        let own = server.sent(above: number)
        for collection in ["sprints", "tasks"] {
            guard let past = server.live(collection, at: SyncSeq(number)) else {
                return expect(false, "the server was never at \(number)")
            }
            try compare(collection, past, except: own, at: number)
        }
    }

    private func compare(
        _ collection: String, _ past: [String: JSON], except own: Set<String>, at number: Int64
    ) throws {
        let rows = try replica.rows(of: collection).map { ($0["id"]?.string ?? "", $0) }
        let shown = Dictionary(uniqueKeysWithValues: rows)
        for id in Set(shown.keys).union(past.keys).subtracting(own) where shown[id]?["_status"] ?? "synced" == "synced"
        {
            let isEqual =
                shown[id]?["name"] == past[id]?["name"] && shown[id]?["server_version"] == past[id]?["server_version"]
            expect(
                isEqual,
                "at \(number) \(collection)/\(id) is \(shown[id]?.text ?? "absent"), was \(past[id]?.text ?? "absent")")
        }
    }

    /// The replica is what the server has now, but for what it refuses.
    func expectEqual() {
        do {
            for collection in ["sprints", "tasks"] {
                try compare(collection, server.live(collection), except: [], at: -1)
            }
        } catch { expect(false, "\(error)") }
    }
}

/// The kept pages at some moment.
private struct Planted {
    private var pages: [PageResponse] = []

    init(_ replica: Replica) throws {
        guard let schema = try replica.schema() else { return }
        let reader = PageReader(schema: schema)
        pages = try replica.read { try Data.fetchAll($0, sql: "SELECT body FROM _kept_page ORDER BY number") }
            .map { try reader.page(Array($0), head: nil) }
    }

    /// Stores the pages in their tables, though the watermark has passed them. The state stays.
    func storeAgain(in replica: Replica) throws {
        guard let schema = try replica.schema() else { return }
        try replica.write { db in
            guard let state = try ReplicaState.load(db), state.settled != nil, !state.hasKept else { return }
            var present = state
            for var page in pages {
                page.nextCursor = "more"
                _ = try PageStore(db: db, schema: schema, time: .test).place(page, after: present, replacing: [])
                present.drainNumber += 1
            }
            try db.execute(sql: "UPDATE _replica SET drain = ?", arguments: [present.drainNumber])
        }
    }
}

/// Spoils answers, and says of some pages that nothing was written since their drain began: what a client with the
/// mistake takes them for.
private final class SpoilingTransport: Transport {
    private let base: any Transport
    private let mistake: PlantedMistake?
    private let spoil: @Sendable (TransportResponse) throws -> TransportResponse
    private let isFirst = Mutex(true)
    private let isResumed = Mutex(false)

    init(
        base: any Transport, mistake: PlantedMistake?,
        spoil: @escaping @Sendable (TransportResponse) throws -> TransportResponse
    ) {
        self.base = base
        self.mistake = mistake
        self.spoil = spoil
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var answer = try spoil(await base.send(request))
        guard request.url.contains("since=") else { return answer }
        let isTaken = judge(hasCursor: request.url.contains("cursor="))
        guard isTaken, let timestamp = try? JSON(parsing: answer.body)["timestamp"]?.int else { return answer }
        answer.headers["tidemark-head"] = String(timestamp)
        return answer
    }

    private func judge(hasCursor: Bool) -> Bool {
        let wasFirst = isFirst.withLock { first in
            defer { first = false }
            return first
        }
        let resumed = isResumed.withLock { resumed in
            resumed = hasCursor && (resumed || wasFirst)
            return resumed
        }
        return mistake == .withoutTheRule || (mistake == .resumedCounts && resumed)
    }
}
