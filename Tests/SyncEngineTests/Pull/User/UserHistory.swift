@testable import SyncEngine
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit

/// A random history of up to five projects and the clients that pull it. Clients that store whole drains, as
/// WatermelonDB does, are killed before they store the watermark, or hold it for a while.
struct UserHistory<Store: SyncStore> {
    private var benches: [Workbench<Store>]
    private var writes: [RandomWrites]
    private var deleted: Set<String> = []
    private var clients: [(role: Role, client: UserDrainClient)] = []
    private var random: SeededGenerator
    private var batches = 0
    /// What did not hold, a sentence each.
    private(set) var faults: [String] = []
    private let pulls: PullService<Store>
    /// What the clients ask for; nil if they know of no parts.
    private var parts: RandomParts?

    /// With `encoding` another one than `watermelondb`, the server takes WatermelonDB for a client that never lags.
    init(
        _ bench: Workbench<Store>, seed: UInt64, encoding: WireEncoding = .watermelondb, hasParts: Bool = false
    ) async throws {
        if hasParts { parts = RandomParts(bench.registry, users: bench.callers.values.map(\.userID).sorted()) }
        (benches, writes) = ([bench], [RandomWrites(prefix: "p1")])
        random = SeededGenerator(seed: seed)
        // Without a cache, every page is read.
        pulls = try await PullService(
            store: bench.store, registry: bench.registry, cacheBytes: seed.isMultiple(of: 3) ? 0 : 1 << 20)
        for (index, role) in Role.allCases.enumerated() {
            for storing in [UserDrainClient.Storing.pages, .drains] {
                var client = UserDrainClient(bench.caller(role), storing: storing)
                // WatermelonDB learns what it lost from `deleted` alone, and has another form of rows.
                if storing == .drains { client.encoding = encoding }
                client.splitsCreated = (index + (storing == .pages ? 0 : 1)).isMultiple(of: 2)
                clients.append((role, client))
            }
        }
    }

    /// Stops at the first fault.
    mutating func run() async {
        do {
            for step in 0..<160 where faults.isEmpty {
                if random.oneIn(2) { try await change() }
                let index = random.below(clients.count)
                try await pull(index)
                if step % 40 == 39 { try await settle() }
            }
            for bench in benches where !deleted.contains(bench.project) {
                faults += try await bench.brokenInvariants()
            }
        } catch {
            faults.append("\(error)")
        }
    }

    private mutating func change() async throws {
        switch random.below(40) {
        case 0 where benches.count < 5:
            let project = "p\(benches.count + 1)"
            benches.append(try await benches[0].another(project))
            writes.append(RandomWrites(prefix: project))
        case 1: try await deleteProject()
        case 2: try await thin()
        case 3: try await archive()
        case 4..<12: try await uploadAll()
        default:
            let index = random.below(benches.count)
            let move = random.oneIn(2) ? parts?.move(writes[index], &random) : nil
            try await benches[index].perform(move ?? writes[index].next(&random))
        }
    }

    /// The owner uploads rows of several projects, and perhaps makes one. Other writes are performed one by one.
    private mutating func uploadAll() async throws {
        var changes: [String: JSON] = [:]
        for index in benches.indices where random.oneIn(2) {
            let write = writes[index].next(&random)
            if case .upload(let sent, .owner, _) = write {
                changes.merge(sent.mapValues { $0.ofRows(in: benches[index].project) }) { $0.joined($1) }
            } else {
                try await benches[index].perform(write)
            }
        }
        let made = benches.count < 5 && random.oneIn(3) ? "p\(benches.count + 1)" : nil
        if let made { changes.merge(UserHistory.project(made)) { $0.joined($1) } }
        batches += 1
        let body: JSON = [
            "client_batch_id": .string("00000000-0000-4000-9000-" + String(100_000_000_000 + batches)),
            "on_error": random.oneIn(2) ? "reject_rows" : "repair", "changes": .object(changes),
        ]
        let bench = benches[0]
        let request = try UploadRequest(project: "", body: body, registry: bench.registry, maximumRows: 500)
        let before = try await closedHeads()
        _ = try await bench.uploads.uploadAll(request, by: bench.caller(.owner))
        if try await closedHeads() != before { faults.append("a project that takes no rows was written to") }
        if parts != nil { try await keep(new: changes) }
        guard let made else { return }
        benches.append(try await bench.existing(made))
        writes.append(RandomWrites(prefix: made, members: [.owner]))
        try await keep(made: benches[benches.count - 1])
    }

    /// One of the owner's clients has sent the upload, so it has the rows that are new, in the part or not.
    private mutating func keep(new changes: [String: JSON]) async throws {
        let keys = changes.flatMap { collection, lists in
            (lists["created"]?.array ?? []).compactMap { $0["id"]?.string.map { RowKey(collection, $0) } }
        }
        guard let index = clients.indices.filter({ clients[$0].role == .owner }).randomElement(using: &random) else {
            return
        }
        for bench in benches {
            let rows = try await bench.visibleRows(to: bench.caller(.owner), as: .owner)
            clients[index].client.keep(made: rows.filter { keys.contains($0.key) })
        }
    }

    /// The owner's clients have what the owner has made, before they pull.
    private mutating func keep(made bench: Workbench<Store>) async throws {
        for index in clients.indices where clients[index].role == .owner {
            clients[index].client.keep(made: try await bench.visibleRows(to: bench.caller(.owner), as: .owner))
        }
    }

    /// The heads of the projects that are archived or deleted.
    private func closedHeads() async throws -> [String: SyncSeq] {
        try await benches[0].store.read { transaction in
            let states = try benches.compactMap { try transaction.project($0.project) }
            return Dictionary(
                uniqueKeysWithValues: states.filter { $0.isArchived || $0.isDeleted }.map { ($0.id, $0.head) })
        }
    }

    /// A project and rows of it, as its owner makes them offline.
    private static func project(_ id: String) -> [String: JSON] {
        [
            "projects": ["created": [["id": .string(id), "name": "Made offline", "start_date": "2026-01-05"]]],
            "tasks": [
                "created": [
                    ["id": .string("\(id)-b"), "name": "B", "project_id": .string(id), "parent": .string("\(id)-a")],
                    ["id": .string("\(id)-a"), "name": "A", "project_id": .string(id)],
                ]
            ],
        ]
    }

    private mutating func deleteProject() async throws {
        guard benches.count > 2, let bench = random.pick(benches), !deleted.contains(bench.project) else { return }
        deleted.insert(bench.project)
        try await bench.items.delete(bench.project, in: bench.registry.projects, if: .none, by: bench.caller(.owner))
    }

    private mutating func archive() async throws {
        guard let bench = random.pick(benches), !deleted.contains(bench.project) else { return }
        _ = try await bench.items.archive(random.oneIn(2), project: bench.project, by: bench.caller(.owner))
    }

    /// All commits are of one hour. A drain is younger than the commits that are thinned.
    private func thin() async throws {
        guard !clients.contains(where: \.client.isDraining) else { return }
        let later = Workbench<Store>.noon.advanced(by: .seconds(7200))
        _ = try await benches[0].store.write { try $0.thinCommits(before: later, limit: .max) }
    }

    private mutating func pull(_ index: Int) async throws {
        let pageSize = random.pick([1, 2, 3, 7, 50, 1000, nil])!
        if random.oneIn(25) { clients[index].client.giveUp() }
        if clients[index].client.storing == .drains, random.oneIn(4) {
            clients[index].client.holdsWatermark.toggle()
        }
        if random.oneIn(6) { clients[index].client.filter = try filter(after: clients[index].client.filter) }
        _ = try await clients[index].client.pull(from: pulls, benches[0].registry, pageSize: pageSize)
    }

    /// A filter of projects and of what is in them.
    private mutating func filter(after former: String?) throws -> String? {
        guard let parts, !random.oneIn(5) else { return nil }
        var before = try former.flatMap { try JSON(parsing: $0).object } ?? [:]
        before["projects"] = nil
        let filter = parts.filter(after: JSON.object(before).text, random.pick(writes)!, &random)
        var members = try JSON(parsing: filter).object ?? [:]
        switch random.below(6) {
        case 0: members["projects"] = .array(benches.map { .string($0.project) }.filter { _ in random.oneIn(2) })
        case 1: members["projects"] = [["is_archived": false]]
        case 2: members["projects"] = [["is_archived": true], ["start_date": ["until": "2025-12-31"]]]
        default: break
        }
        return JSON.object(members).text
    }

    /// Every client ends its drain, and makes one with no write in between. Then it holds what its user may see.
    private mutating func settle() async throws {
        let pageSize = random.pick([1, 7, 1000, nil])!
        for index in clients.indices {
            let registry = benches[0].registry
            if clients[index].client.isDraining {
                try await clients[index].client.drain(from: pulls, registry, pageSize: 7)
            }
            try await clients[index].client.drain(from: pulls, registry, pageSize: pageSize)
            // A drain that was cut is repeated before another filter is asked for.
            let isBehind = clients[index].client.filter ?? "{}" != clients[index].client.heldFilter
            if parts != nil, isBehind || clients[index].client.mustRepeat {
                clients[index].client.holdsWatermark = false
                for _ in 0..<2 { try await clients[index].client.drain(from: pulls, registry, pageSize: pageSize) }
            }
            let (role, client) = clients[index]
            var visible: [RowKey: JSON] = [:]
            for (bench, writes) in zip(benches, writes) where !deleted.contains(bench.project) {
                guard let present = writes.roles[role] else { continue }
                try await visible.merge(bench.visibleRows(to: client.caller, as: present)) { $1 }
            }
            let part = try NaivePart(client.filter ?? "{}", registry, user: client.caller.userID)
            compare(client, with: part.rows(of: visible), role)
        }
    }

    private mutating func compare(_ client: UserDrainClient, with visible: [RowKey: JSON], _ role: Role) {
        let missing = visible.filter { client.rows[$0.key] == nil }.map(\.key.id)
        let extra = client.rows.filter { visible[$0.key] == nil }.map(\.key.id)
        // The values of `watermelondb` have another form.
        let stale = client.rows.filter { key, row in
            guard let seen = visible[key] else { return false }
            return client.encoding == .json ? seen != row : seen["server_version"] != row["server_version"]
        }.map(\.key.id)
        guard !(missing + extra + stale).isEmpty else { return }
        let who = "\(role), by \(client.storing), with \(client.filter ?? "no filter")"
        faults.append("\(who): missing \(missing.sorted()), extra \(extra.sorted()), stale \(stale.sorted())")
    }
}

extension JSON {
    /// The buckets of a collection with this project in each row.
    fileprivate func ofRows(in project: String) -> JSON {
        .object(
            (object ?? [:]).mapValues { rows in
                .array((rows.array ?? []).map { $0.object == nil ? $0 : $0.of(project: project) })
            })
    }

    /// The buckets of a collection with those of another.
    fileprivate func joined(_ other: JSON) -> JSON {
        .object((object ?? [:]).merging(other.object ?? [:]) { .array(($0.array ?? []) + ($1.array ?? [])) })
    }
}
