import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// The versions on which the fields of an edit were made: what a drain had delivered by then, whatever pulls and
/// answers brought since.
@Suite struct EditBaseTests {
    private let scene: PushScene
    private let replica: Replica

    init() async throws {
        scene = try await PushScene()
        replica = scene.replica
    }

    private func put(_ id: String, _ content: [String: JSON]) {
        scene.server.change { $0.commit([id: content]) }
    }

    /// `base_version` and `base_versions` of the row's last upload.
    private func sent(_ id: String) -> [JSON?] {
        let rows = scene.uploads.last?["changes"]?["tasks"]?["updated"]?.array ?? []
        let row = rows.first { $0["id"]?.string == id }
        return [row?["base_version"], row?["base_versions"]]
    }

    @Test func aPullBetweenEditAndPushMovesNothing() async throws {
        try replica.update("a", in: "tasks", with: ["name": "A"])
        put("a", ["duration": 5])
        _ = try await scene.syncer().sync()
        #expect(sent("a") == [1, nil])
        #expect(scene.uploads.last?["last_pulled_at"] == .int(scene.server.state.withLock { $0.head } - 1))
    }

    @Test func eachFieldHasItsOwn() async throws {
        try replica.update("a", in: "tasks", with: ["name": "A"])
        put("a", ["done": true])
        _ = try await scene.syncer().pull()
        try replica.update("a", in: "tasks", with: ["name": "AA", "duration": 7])
        _ = try await scene.syncer().push()
        #expect(sent("a") == [1, ["duration": 2]])
    }

    @Test func anAnswerIsNone() async throws {
        try replica.update("a", in: "tasks", with: ["name": "A"])
        _ = try await scene.syncer().push()
        try replica.update("a", in: "tasks", with: ["name": "AA"])
        _ = try await scene.syncer().push()
        #expect(sent("a") == [1, nil])
        try replica.update("a", in: "tasks", with: ["name": "AAA"])
        _ = try await scene.syncer().push()
        #expect(sent("a") == [1, nil])
        _ = try await scene.syncer().pull()
        try replica.update("a", in: "tasks", with: ["name": "B"])
        _ = try await scene.syncer().push()
        #expect(sent("a") == [4, nil])
    }

    @Test func aNewRowHasItsFirstVersionUntilADrainDeliversIt() async throws {
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        _ = try await scene.syncer().push()
        try replica.update("n", in: "tasks", with: ["name": "newer"])
        _ = try await scene.syncer().push()
        #expect(sent("n") == [1, nil])
        _ = try await scene.syncer().pull()
        try replica.update("n", in: "tasks", with: ["name": "newest"])
        _ = try await scene.syncer().push()
        #expect(sent("n") == [2, nil])
    }

    /// The answer is lost, and a drain brings the row with what somebody else has changed.
    @Test func aNewRowThatADrainDeliversFirstHasItsFirstVersionToo() async throws {
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        let dying = HookedTransport(scene.server) { _, _ in throw Crash() }
        await #expect(throws: Crash.self) { try await scene.syncer(dying).push() }
        try replica.update("n", in: "tasks", with: ["name": "newer"])
        put("n", ["duration": 5])
        _ = try await scene.syncer().pull()
        try replica.update("n", in: "tasks", with: ["duration": 6])
        _ = try await scene.syncer().push()
        #expect(sent("n") == [1, ["duration": 2]])
    }

    /// Random histories with lost answers, edits during a push, and a process that dies: each field of each new batch
    /// names what the device had been shown when its oldest unsent edit was made.
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func everyFieldNamesWhatTheDeviceHadBeenShown(seed: UInt64) async throws {
        let dice = Dice(seed: seed)
        let book = Mutex(Book())
        book.withLock { book in
            for id in ["a", "b"] { book.shown[id] = 1 }
        }
        @Sendable func edit() throws {
            let (id, field) = (["a", "b"][dice.roll(2)], ["name", "duration", "done"][dice.roll(3)])
            let values: [String: JSON] = [
                "name": .string("\(dice.roll(100))"), "duration": .int(Int64(dice.roll(50))),
                "done": .bool(dice.roll(2) == 0),
            ]
            let row = try scene.replica.rows(of: "tasks").first { $0["id"]?.string == id }
            guard let value = values[field], row?[field] != value else { return }
            try scene.replica.update(id, in: "tasks", with: [field: value])
            book.withLock { $0.edited(id, field: field, to: value) }
        }
        for step in 1...60 {
            switch dice.roll(6) {
            case 0: put(["a", "b"][dice.roll(2)], ["name": .string("other \(step)"), "duration": .int(Int64(step))])
            case 1:
                _ = try await scene.syncer().pull()
                let rows = scene.server.state.withLock { $0.rows["tasks"] ?? [:] }
                book.withLock { book in
                    for id in ["a", "b"] { book.shown[id] = rows[id]?.version }
                }
            case 2, 3: try edit()
            default:
                let (loses, edits) = (dice.roll(3) == 0, dice.roll(2) == 0)
                let transport = HookedTransport(scene.server) { [server = scene.server] _, answer in
                    guard let upload = server.state.withLock({ $0.uploads.last }) else { return answer }
                    book.withLock { $0.check(upload, "seed \(seed), step \(step)") }
                    if edits { try edit() }
                    if loses { throw Crash() }
                    book.withLock { $0.isAnswered = true }
                    return answer
                }
                do {
                    _ = try await scene.syncer(transport).push()
                } catch is Crash {}
                book.withLock { $0.settle() }
            }
        }
    }
}

/// What the device was shown and has edited.
private struct Book {
    /// The version of each row at the last pull.
    var shown: [String: Int64] = [:]
    /// For each row and field: the version shown at the oldest unsent edit, and the present value.
    private var open: [String: [String: (base: Int64, value: JSON)]] = [:]
    /// What the batch that waits for its answer holds.
    private var sent: [String: [String: JSON]] = [:]
    private var batch: JSON?
    /// Whether its answer has arrived.
    var isAnswered = false

    mutating func edited(_ id: String, field: String, to value: JSON) {
        open[id, default: [:]][field] = (open[id]?[field]?.base ?? shown[id]!, value)
    }

    /// A batch that waits is sent as it was. A new one names the bases.
    mutating func check(_ upload: JSON, _ label: String) {
        settle()
        guard upload["client_batch_id"] != batch else { return }
        batch = upload["client_batch_id"]
        for row in upload["changes"]?["tasks"]?["updated"]?.array ?? [] {
            let id = row["id"]!.string!
            for field in row["_changed"]!.string!.split(separator: ",").map(String.init) {
                let base = row["base_versions"]?[field] ?? row["base_version"]
                #expect(base?.int == open[id]?[field]?.base, "\(label): \(row)")
                sent[id, default: [:]][field] = row[field]
            }
        }
    }

    /// Closes what an answered batch held, except for what was edited since.
    mutating func settle() {
        guard isAnswered else { return }
        for (id, fields) in sent {
            for (field, value) in fields where open[id]?[field]?.value == value { open[id]?[field] = nil }
        }
        sent = [:]
        batch = nil
        isAnswered = false
    }
}
