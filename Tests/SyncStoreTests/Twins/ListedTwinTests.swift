import PostgreSQLTestKit
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Rows with lists of who sees them, and rows below, are the same on all stores: random histories of hand-overs, other
/// parents, deletes, roles, memberships and purges, with drains that are cut between pages. A replica has what its user
/// may see, with the server's digests, and nobody is told an id that they could not know.
@Suite struct ListedTwinTests {
    static func registry() throws -> Registry {
        func document(_ title: String, _ members: [String: JSON], _ fields: JSON) -> JSON {
            let all: [String: JSON] = [
                "$schema": "urn:tidemark:meta-schema", "title": .string(title), "type": "object",
                "x-roles": ["create": "VIEWER", "update": "VIEWER", "delete": "VIEWER"], "properties": fields,
            ]
            return .object(all.merging(members) { $1 })
        }
        func below(_ parent: String) -> JSON {
            ["above": ["type": "string", "x-ref": ["collection": .string(parent), "on-delete": "cascade"]]]
        }
        let inherited: [String: JSON] = ["x-visibility": ["inherit": "above"], "required": ["above"]]
        let documents = [
            document(
                "projects",
                [
                    "x-scope": "project", "x-roles": ["create": "ANYONE", "update": "ADMIN", "delete": "OWNER"],
                    "required": ["name", "start_date"], "x-uploadable-user-wide": false,
                ], ["name": ["type": "string"], "start_date": ["type": "string", "format": "date"]]),
            document(
                "memberships",
                [
                    "x-scope": "membership", "x-roles": ["create": "ADMIN", "update": "ADMIN", "delete": "VIEWER"],
                    "required": ["user", "role"],
                ], ["user": ["type": "integer"], "role": ["type": "integer"]]),
            document(
                "inspections", ["x-visibility": ["listed": ["assignee", "reviewers"], "role": "ADMIN"]],
                [
                    "assignee": ["type": ["integer", "null"], "x-user": ["on-leave": "clear"]],
                    "reviewers": [
                        "type": "array", "items": ["type": "integer"], "maxItems": 5, "default": [],
                        "x-user": ["on-leave": "keep"],
                    ],
                ]),
            document("findings", inherited, below("inspections")), document("photos", inherited, below("findings")),
        ]
        return try Registry(documents: documents.map { ($0["title"]?.string ?? "", $0) })
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>) func allStoresTellTheSame(seed: UInt64) async throws {
        let (folder, registry) = (try TemporaryFolder(), try Self.registry())
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        var real = try await ListedHistory(Workbench(store, registry), seed)
        try await real.run()
        var model = try await ListedHistory(Workbench(ModelStore(registry: registry), registry), seed)
        try await model.run()
        #expect(real.faults == [] && model.faults == [], "seed \(seed)")
        #expect(real.held == model.held, "seed \(seed)")
        #expect(try DatabaseCheck(path: folder.path("t.db")).run().findings.isEmpty)
        guard seed <= 3 else { return }
        let database = try TestDatabase()
        var other = try await ListedHistory(Workbench(database.open(registry), registry), seed)
        try await other.run()
        #expect(other.faults == [] && other.held == model.held, "seed \(seed)")
    }

    @Test(arguments: PlantedListedBug.allCases) func mistakesAreNoticed(bug: PlantedListedBug) async throws {
        let registry = try Self.registry()
        for seed in UInt64(1)...30 {
            let store = PlantedStore(ModelStore(registry: registry), bug: bug)
            var history = try await ListedHistory(Workbench(store, registry), seed)
            try await history.run()
            if !history.faults.isEmpty { return }
        }
        Issue.record("no seed noticed \(bug.rawValue)")
    }
}

/// A random history, and what is wrong with what its replicas hold.
struct ListedHistory<Store: SyncStore> {
    static var names: [String] { ["inspections", "findings", "photos"] }
    private static var roles: [Role] { [.viewer, .member, .scheduler] }
    private static var parents: [String: String] { ["findings": "inspections", "photos": "findings"] }

    private let bench: Workbench<Store>
    private var random: SeededGenerator
    private var replicas: [DrainClient]
    private var watched: [Role: (held: Set<RowKey>, since: SyncSeq)] = [:]
    /// By head, what each member could see.
    private var sights: [(head: SyncSeq, seen: [Role: Set<RowKey>])] = []
    /// The contents of replicas, and drains at once.
    private(set) var held: [Set<RowKey>] = []
    private(set) var faults: [String] = []

    init(_ bench: Workbench<Store>, _ seed: UInt64) async throws {
        self.bench = bench
        random = SeededGenerator(seed: seed)
        replicas = Self.roles.map { DrainClient(bench.caller($0)) }
        for role in Self.roles { watched[role] = ([], .zero) }
        try await look()
    }

    mutating func run() async throws {
        for step in 0..<90 {
            try await write(step)
            try await look()
            let index = random.below(Self.roles.count)
            // Pages of several drains, with writes between them.
            if random.oneIn(2) { await advance(index) } else { try await pull(Self.roles[index]) }
        }
        for (index, role) in Self.roles.enumerated() {
            try await pull(role)
            for _ in 0..<2 { await finish(index) }
            let seen = sights.last?.seen[role] ?? []
            if own(replicas[index].rows.keys) != seen { faults.append("\(role) holds other rows than it may see") }
        }
    }

    private func own(_ keys: some Sequence<RowKey>) -> Set<RowKey> {
        Set(keys.filter { Self.names.contains($0.collection) })
    }

    private mutating func advance(_ index: Int) async {
        do {
            if try await replicas[index].pull(from: bench, pageSize: random.pick([1, 2, 50])!) {
                held.append(own(replicas[index].rows.keys))
            }
        } catch { faults.append("\(error)") }
    }

    private mutating func finish(_ index: Int) async {
        do {
            try await replicas[index].drain(from: bench, pageSize: 2)
            held.append(own(replicas[index].rows.keys))
        } catch { faults.append("\(error)") }
    }

    /// A drain at once, and what it may tell.
    private mutating func pull(_ role: Role) async throws {
        let (held, since) = watched[role]!
        let drained: Drained
        do {
            drained = try await Drained(
                bench.store, bench.registry, project: bench.project, since: since, by: bench.caller(role))
        } catch is Problem {
            watched[role] = ([], .zero)
            return
        }
        let (told, rows) = (own(drained.deleted), own(drained.rows.keys))
        let last = sights.last { $0.head <= since }?.seen[role] ?? []
        let known = sights.filter { $0.head > since }.reduce(into: last) { $0.formUnion($1.seen[role] ?? []) }
        let allowed = since > .zero ? known : []
        if !told.isSubset(of: allowed) { faults.append("\(role) was told of \(told.subtracting(allowed))") }
        if !told.isDisjoint(with: rows) { faults.append("\(role) has an id twice") }
        let now = (since > .zero ? held : []).subtracting(told).union(rows)
        if now != sights.last?.seen[role] { faults.append("\(role) has other rows than it may see") }
        watched[role] = (now, SyncSeq(drained.timestamp))
        self.held.append(now)
    }

    // MARK: Writes

    private mutating func write(_ step: Int) async throws {
        let name = random.pick(Self.names)!
        let rows = try await live()
        let lists = lists()
        let isDead = random.oneIn(8)
        let parent = Self.parents[name].flatMap { above in random.pick(rows.filter { $0.collection == above }) }
        let known = random.pick(rows.filter { $0.collection == name })
        if random.oneIn(6) { return try await changeRole() }
        guard !random.oneIn(25) else {
            _ = try await bench.purge()
            return
        }
        try await bench.edit { editor in
            let fields: [String: JSON] = parent.map { ["above": .string($0.id)] } ?? lists
            if let known, step % 3 != 0 {
                if name == "inspections" || parent != nil { try editor.update(name, known.id, fields) }
                if isDead { try editor.delete(name, known.id) }
            } else if name == "inspections" || parent != nil {
                try editor.insert(name, "\(name)\(step)", fields)
            }
        }
    }

    private mutating func lists() -> [String: JSON] {
        let users = Self.roles.map { JSON.int(bench.caller($0).userID) }
        let assignee = random.pick(users + [.null])!
        let reviewers = users.filter { _ in random.oneIn(3) }
        return random.oneIn(2)
            ? ["assignee": assignee, "reviewers": .array(reviewers)] : ["reviewers": .array(reviewers)]
    }

    private mutating func changeRole() async throws {
        let role = random.pick(Self.roles)!
        let next: Role? = random.pick([nil, .viewer, .member, .admin, .owner])!
        let user = bench.caller(role).userID
        let present = try await bench.store.read { [project = bench.project] in
            try $0.access(project: project, user: user)?.role
        }
        // Most who have left come back soon.
        if next != present { try await bench.setRole(of: role, to: next) }
        if next == nil, random.oneIn(2) {
            try await look()
            try await write(1)
            try await look()
            try await bench.setRole(of: role, to: .viewer)
        }
    }

    // MARK: What is so

    private func live() async throws -> [RowKey] { try await rows().keys.sorted { $0.id < $1.id } }

    private func rows() async throws -> [RowKey: StoredRow] {
        try await bench.store.read { [bench] transaction in
            var rows: [RowKey: StoredRow] = [:]
            for name in Self.names {
                let collection = bench.registry.collection(name)
                for row in try transaction.records(in: collection, project: bench.project) {
                    rows[RowKey(name, row.id)] = row
                }
            }
            return rows
        }
    }

    /// What each member may see, by the values of the rows alone.
    private mutating func look() async throws {
        let rows = try await rows()
        let inspections = bench.registry.collection("inspections")
        let places = ["assignee", "reviewers"].map { inspections.position(named: $0) }
        func top(_ key: RowKey) -> StoredRow? {
            guard let row = rows[key], let parent = Self.parents[key.collection] else { return rows[key] }
            let above = bench.registry.collection(key.collection).position(named: "above")
            return row.values[above].string.flatMap { top(RowKey(parent, $0)) }
        }
        var seen: [Role: Set<RowKey>] = [:]
        let head = try await bench.store.read { [project = bench.project] in try $0.project(project)!.head }
        for role in Self.roles {
            let user = bench.caller(role).userID
            let present = try await bench.store.read { [project = bench.project] in
                try $0.access(project: project, user: user)?.role
            }
            seen[role] = Set(
                rows.keys.filter { key in
                    guard let present else { return false }
                    let named = places.flatMap { place in
                        top(key).map { $0.values[place].array ?? [$0.values[place]] } ?? []
                    }
                    return present >= .admin || named.contains(.int(user))
                })
        }
        sights.append((head, seen))
    }
}
