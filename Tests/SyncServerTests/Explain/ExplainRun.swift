import NIOCore
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit

@testable import SyncServer

/// Random writes, in between which every user's explanation of every row is compared with what that user is served: by
/// drains of everything and of a part, from 0 and from an earlier watermark, and over REST.
struct ExplainRun<Store: SyncStore> {
    private let bench: Workbench<Store>
    private let explanations: ExplainService<Store>
    private let root: Caller
    /// Everybody who is asked about.
    private let subjects: [Caller]
    private var random: SeededGenerator
    private var writes = RandomWrites()
    private var parts: RandomParts
    /// The heads after some of the writes.
    private var watermarks: [SyncSeq] = []
    private(set) var faults: [String] = []
    /// How often each kind of delivery was explained.
    private(set) var explained: [String: Int] = [:]
    /// The codes of all reasons that were given.
    private(set) var codes: Set<String> = []

    init(_ bench: Workbench<Store>, seed: UInt64) async throws {
        self.bench = bench
        random = SeededGenerator(seed: seed)
        explanations = ExplainService(store: bench.store, registry: bench.registry)
        let user = try await bench.accounts.addUser("root", isSuperuser: true)
        root = Caller(userID: user.id, username: user.username, isSuperuser: true)
        let outsider = try await bench.accounts.addUser("outsider")
        parts = RandomParts(bench.registry, users: bench.callers.values.map(\.userID).sorted())
        subjects =
            Role.allCases.map { bench.caller($0) } + [root, Caller(userID: outsider.id, username: outsider.username)]
    }

    mutating func run(steps: Int) async throws {
        for step in 1...steps {
            let move = random.oneIn(2) ? parts.move(writes, &random) : nil
            try await bench.perform(move ?? writes.next(&random))
            if random.oneIn(4) { watermarks.append(try await head()) }
            if step.isMultiple(of: 30) { try await compare() }
        }
        _ = try await bench.items.archive(true, project: bench.project, by: bench.caller(.owner))
        try await compare()
        try await bench.items.delete(
            bench.project, in: bench.registry.projects, if: .none, by: bench.caller(.owner))
        try await compare()
    }

    private func head() async throws -> SyncSeq {
        let project = bench.project
        return try await bench.store.read { try $0.project(project)!.head }
    }

    private mutating func compare() async throws {
        let since = random.pick(watermarks) ?? .zero
        var drains: [Drain] = []
        for subject in subjects {
            let filter = parts.filter(writes, &random)
            for start in Set([SyncSeq.zero, since]) {
                for filter in [nil, filter] { drains.append(try await drain(subject, from: start, filter)) }
            }
        }
        let known = bench.registry.collections.flatMap { collection in
            (writes.ids(of: collection.name) + ["none"]).map { RowKey(collection.name, $0) }
        }
        let keys = Set(known).union(drains.flatMap(\.rows.keys))
        for drain in drains {
            for key in keys { try await compare(key, with: drain) }
        }
    }

    private mutating func compare(_ key: RowKey, with drain: Drain) async throws {
        let subject = drain.subject
        let since = drain.since
        let delivered = drain.rows[key] ?? "nothing"
        let question = ExplainService<Store>.Question(
            user: "\(subject.userID)", collection: key.collection, id: key.id, since: since, filter: drain.filter)
        let answer = AnswerShape.explanation.json(try await explanations.explain(question, for: root))
        let said = answer["delivered_as"]?.string ?? "none"
        if said != delivered {
            let place = "since \(since), with \(drain.filter ?? "no filter")"
            faults.append("\(said) instead of \(delivered) \(place): \(answer.text)")
        }
        explained[delivered, default: 0] += 1
        codes.formUnion((answer["reasons"]?.array ?? []).compactMap { $0["code"]?.string })
        if since == .zero, answer["sees"] != .bool(try await reads(key, subject)) {
            faults.append("sees is wrong: \(answer.text)")
        }
        if answer["reasons"] == [] { faults.append("no reason: \(answer.text)") }
    }

    private func reads(_ key: RowKey, _ subject: Caller) async throws -> Bool {
        do {
            _ = try await bench.items.read(key.id, in: bench.registry.collection(key.collection), for: subject)
            return true
        } catch let problem as Problem where problem.code != .internalError { return false }
    }

    private struct Drain {
        let subject: Caller
        let since: SyncSeq
        let filter: String?
        /// What it has of each row; empty if it is refused.
        var rows: [RowKey: String] = [:]
    }

    private func drain(_ subject: Caller, from since: SyncSeq, _ filter: String?) async throws -> Drain {
        var drain = Drain(subject: subject, since: since, filter: filter)
        var request = PullRequest(project: bench.project, since: since)
        let reader = PartReader(
            registry: bench.registry, user: subject.userID, parameter: "filter", allowsProjects: false)
        request.part = try filter.map { PartRequest(try reader.part($0)) }
        do {
            repeat {
                let page = try JSON(parsing: await bench.pulls.page(request, for: subject).body.readableBytesView)
                request.cursor = page["next_cursor"]?.string
                for (name, lists) in page["changes"]?.object ?? [:] {
                    for row in lists["updated"]?.array ?? [] { drain.rows[RowKey(name, row["id"]!.string!)] = "row" }
                    for (list, delivery) in ["deleted": "tombstone", "left": "left"] {
                        for id in lists[list]?.array ?? [] { drain.rows[RowKey(name, id.string!)] = delivery }
                    }
                }
            } while request.cursor != nil
        } catch let problem as Problem where problem.code != .internalError { drain.rows = [:] }
        return drain
    }
}
