import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// Random runs: writes, purges, restored backups and edits on the device, over a network that fails in every way, with
/// a process that dies between any two pages. Once the network is sound again, the replica and the server agree.
@Suite struct ConvergenceTests {
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func replicaEndsEqualToTheServer(seed: UInt64) async throws {
        let run = try Run(seed: seed)
        for _ in 0..<25 { try await run.step() }
        try await run.heal()
        try run.checkEnd()
    }

    /// Two processes on one file: if one loses the race for a page, it goes on from where the other is.
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func twoPullersOnOneFileShareTheWork(seed: UInt64) async throws {
        let run = try Run(seed: seed)
        for _ in 0..<200 { run.write() }
        try await withThrowingTaskGroup(of: PullOutcome.self) { group in
            for _ in 0..<3 {
                let puller = try run.puller(run.server, pageSize: 7)
                group.addTask { try await puller.pull() }
            }
            try await group.waitForAll()
        }
        try run.checkEnd()
    }
}

/// One run and its random generator. Not shared between tests.
private struct Run: ~Copyable {
    let seed: UInt64
    let server = FakeServer()
    private let scratch: Scratch
    private let clock = ManualClock()
    private let dice: Dice

    init(seed: UInt64) throws {
        self.seed = seed
        scratch = try Scratch()
        dice = Dice(seed: seed)
    }

    func puller(_ transport: any Transport, pageSize: Int) throws -> Syncer {
        try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: transport,
            replica: scratch.replica(), options: SyncOptions(pageSize: pageSize),
            environment: clock.environment(seed: seed))
    }

    func step() async throws {
        for _ in 0..<dice.roll(6) { write() }
        switch dice.roll(12) {
        case 0: server.change { $0.purge() }
        case 1: try edit()
        case 2: restore()
        default: try await pull()
        }
        try checkSettled()
    }

    /// A settled replica shows what the server had at that commit, except for rows that were edited here.
    private func checkSettled() throws {
        guard let settled = try scratch.replica().state().settled else { return }
        for collection in ["sprints", "tasks"] {
            let past = try #require(server.live(collection, at: settled), "seed \(seed)")
            let replica = try synced(collection)
            let expected = past.filter { replica.unsent[$0.key] == nil }.mapValues { Self.complete($0, collection) }
            #expect(replica.rows == expected, "\(collection) at \(settled), seed \(seed)")
        }
    }

    func write() { Self.write(server, dice) }

    private static func write(_ server: FakeServer, _ dice: Dice) {
        let collection = dice.roll(3) == 0 ? "sprints" : "tasks"
        let id = "r\(dice.roll(40))"
        let name = JSON.string("n\(dice.roll(1000))")
        server.change { state in
            if dice.roll(4) == 0 { state.delete(collection, id) } else { state.put(collection, id, ["name": name]) }
        }
    }

    /// The server is restored from an old backup: its numbers jump, and earlier watermarks are refused.
    private func restore() {
        server.change { state in
            for (name, rows) in state.rows { state.rows[name] = rows.filter { _ in dice.roll(4) > 0 } }
            state.head += 1000
            state.horizon = state.head
            state.generation += 1
        }
    }

    /// Changes a name without sending it.
    private func edit() throws {
        guard try scratch.replica().schema() != nil else { return }
        try scratch.replica().edit(
            "UPDATE tasks SET name = 'local', _status = 'updated', _changed = 'name' WHERE id = 'r\(dice.roll(40))'")
    }

    private func pull() async throws {
        let (server, dice) = (server, dice)
        let flaky = HookedTransport(server) { _, answer in try Self.spoil(answer, server, dice) }
        do {
            let outcome = try await puller(flaky, pageSize: 1 + dice.roll(9)).pull()
            try check(upTo: outcome.timestamp)
        } catch is Crash {
            try check(upTo: scratch.replica().state().since)
        } catch SyncError.gaveUp {}
    }

    private static func spoil(
        _ answer: TransportResponse, _ server: FakeServer, _ dice: Dice
    ) throws -> TransportResponse {
        switch dice.roll(30) {
        case 0: throw Crash()
        case 1: throw TransportError.interrupted("answer lost")
        case 2: throw TransportError.timeout
        case 3: return TransportResponse(status: 200, body: answer.body.prefix(answer.body.count / 2))
        case 4: return TransportResponse(status: 502)
        case 5: return .problem(503, .busy, headers: ["Retry-After": "3"])
        case 6: server.change { $0.generation += 1 }
        case 7...15: write(server, dice)
        default: break
        }
        return answer
    }

    func heal() async throws { _ = try await puller(server, pageSize: 1 + dice.roll(50)).pull() }

    /// Checks what a watermark promises, also during the next drain: every
    /// row whose last write it covers is in the replica as the server has it.
    private func check(upTo timestamp: SyncSeq) throws {
        guard timestamp > .zero else { return }
        for collection in ["sprints", "tasks"] {
            let replica = try synced(collection)
            for (id, row) in server.live(collection, upTo: timestamp.rawValue) where replica.unsent[id] == nil {
                #expect(replica.rows[id] == Self.complete(row, collection), "\(collection)/\(id), seed \(seed)")
            }
        }
    }

    /// Rows with unsent changes are treated differently: they keep
    /// their name, and may exist longer than a purged tombstone.
    func checkEnd() throws {
        for collection in ["sprints", "tasks"] {
            let live = server.live(collection).mapValues { Self.complete($0, collection) }
            let replica = try synced(collection)
            let expected = live.filter { replica.unsent[$0.key] == nil }
            #expect(replica.rows == expected, "\(collection), seed \(seed)")
            for (id, row) in replica.unsent {
                #expect(row["name"] == "local", "\(id), seed \(seed)")
                if let version = live[id]?["server_version"] { #expect(row["server_version"] == version) }
            }
        }
        #expect(try scratch.replica().state().drain == nil)
    }

    private func synced(_ collection: String) throws -> (rows: [String: JSON], unsent: [String: JSON]) {
        let rows = try scratch.replica().rows(of: collection).map { ($0["id"]?.string ?? "", $0) }
        let byID = Dictionary(uniqueKeysWithValues: rows)
        return (
            byID.filter { $0.value["_status"] == "synced" }, byID.filter { $0.value["_status"] != "synced" }
        )
    }

    /// Adds the defaults that the table would add.
    private static func complete(_ row: JSON, _ collection: String) -> JSON {
        let defaults: [String: JSON] =
            collection == "sprints"
            ? ["goal": ""] : ["sprint": nil, "parent": nil, "duration": 1, "percent": 0, "done": false, "labels": []]
        return .object(defaults.merging(row.object ?? [:]) { $1 })
    }
}
