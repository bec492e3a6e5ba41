import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// Random histories of lists, roles, memberships, parents and deletes: every replica has what its user may see, and
/// nobody is told of a row that they could not see.
@Suite struct RandomListedTests {
    @Test(arguments: 1...20) func replicasHaveWhatTheirUsersMaySee(seed: UInt64) async throws {
        let role = seed.isMultiple(of: 4) ? nil : "ADMIN"
        var run = try await ListedRun(ListedScene(ListedScene.schemas(role: role)), SeededGenerator(seed: seed))
        for step in 0..<80 {
            do { try await run.step(step) } catch {
                Issue.record("seed \(seed), step \(step): \(error)")
                throw error
            }
        }
        try await run.finish()
    }
}

private struct ListedRun {
    let scene: ListedScene
    private var random: SeededGenerator
    private var replicas: [Role: DrainClient] = [:]
    private var ids: [Role: (held: Set<String>, since: Int64)] = [:]
    /// By head, what each member could see. The maker of a row has seen it.
    private var sights: [(head: Int64, seen: [Role: Set<String>])] = []
    /// What each member may see now.
    private var truth: [Role: Set<String>] = [:]

    init(_ scene: ListedScene, _ random: SeededGenerator) async throws {
        self.scene = scene
        self.random = random
        for role in ListedScene.roles {
            replicas[role] = DrainClient(scene.scene.bench.caller(role))
            ids[role] = ([], 0)
        }
        try await look(made: nil)
    }

    private mutating func look(made: (role: Role, id: String)?) async throws {
        truth = try await scene.truth()
        var seen = truth
        if let made { seen[made.role, default: []].insert(made.id) }
        sights.append((try await head(), seen))
    }

    private func head() async throws -> Int64 {
        try await scene.scene.bench.store.read { try $0.project("p1")!.head.rawValue }
    }

    mutating func step(_ step: Int) async throws {
        let made = try await write(step)
        try await look(made: made)
        if Int.random(in: 0..<3, using: &random) == 0 {
            try await pull(ListedScene.roles.randomElement(using: &random)!)
        }
    }

    mutating func finish() async throws {
        for role in ListedScene.roles { try await pull(role) }
        try scene.checkDatabase()
    }

    // MARK: Writes

    private mutating func write(_ step: Int) async throws -> (role: Role, id: String)? {
        let role = ListedScene.roles.randomElement(using: &random)!
        let client = scene.client(role)
        let name = ListedScene.names.randomElement(using: &random)!
        switch Int.random(in: 0..<12, using: &random) {
        case 0:
            guard let id = visible(name, to: role) else { return nil }
            _ = try await client.remove(name, id)
        case 1...3:
            guard let id = visible("inspections", to: role) else { return nil }
            _ = try await client.patch("inspections", id, lists(with: [:]))
        case 4:
            guard let id = visible(name, to: role) else { return nil }
            _ = try await client.upload(name, updated: [["id": .string(id), "text": .string("\(step)")]])
        case 5:
            guard name != "inspections", let id = visible(name, to: role),
                let above = visible(ListedScene.parents[name]!, to: role)
            else { return nil }
            _ = try await client.patch(name, id, ["above": .string(above)])
        case 6 where role != .admin || Bool.random(using: &random):
            try await changeRole(of: role)
        case 7:
            guard let id = visible("inspections", to: role) else { return nil }
            let update = lists(with: ["id": .string(id)])
            let deletes = Bool.random(using: &random) ? [JSON.string(id)] : []
            _ = try await client.upload("inspections", updated: [update], deleted: deletes)
        default:
            let id = "\(name)\(step)"
            var row: [String: JSON] = ["id": .string(id)]
            if let parent = ListedScene.parents[name] {
                guard let above = visible(parent, to: role) else { return nil }
                row["above"] = .string(above)
            }
            let json = name == "inspections" ? lists(with: row) : .object(row)
            let answer =
                Bool.random(using: &random)
                ? try await client.create(name, json) : try await client.upload(name, created: [json])
            return answer.status < 300 ? (role, id) : nil
        }
        return nil
    }

    /// A row of the collection that the member sees now.
    private mutating func visible(_ name: String, to role: Role) -> String? {
        (truth[role] ?? []).filter { $0.hasPrefix(name) }.sorted().randomElement(using: &random)
    }

    private mutating func lists(with fields: [String: JSON]) -> JSON {
        var row = fields
        let members = ListedScene.roles.map(scene.user)
        if Bool.random(using: &random) { row["assignee"] = (members + [.null]).randomElement(using: &random)! }
        if Bool.random(using: &random) {
            let count = Int.random(in: 0...2, using: &random)
            row["reviewers"] = .array(Array(members.shuffled(using: &random).prefix(count)))
        }
        return .object(row)
    }

    private mutating func changeRole(of role: Role) async throws {
        let next: Role? = [nil, .viewer, .member, .admin, .owner].randomElement(using: &random)!
        let user = scene.scene.bench.caller(role).userID
        let present = try await scene.scene.bench.store.read { try $0.access(project: "p1", user: user)?.role }
        guard next != present else { return }
        try await scene.scene.bench.setRole(of: role, to: next)
    }

    // MARK: Pulls

    private mutating func pull(_ role: Role) async throws {
        let pageSize = [1, 2, 1000].randomElement(using: &random)!
        let user = scene.scene.bench.caller(role).userID
        guard try await scene.scene.bench.store.read({ try $0.access(project: "p1", user: user)?.role }) != nil else {
            // The client drops everything, and begins again when it may.
            ids[role] = ([], 0)
            try await replicas[role]!.drain(from: scene.scene.bench, pageSize: pageSize)
            return
        }
        var (held, since) = ids[role]!
        let drain = try await scene.drain(role, since: since, pageSize: pageSize)
        let told = Set(drain.deleted)
        #expect(told.isDisjoint(with: drain.rows), "\(role) has an id twice")
        let last = sights.last { $0.head <= since }?.seen[role] ?? []
        let seen = sights.filter { $0.head > since }.reduce(into: last) { $0.formUnion($1.seen[role] ?? []) }
        if since > 0 {
            #expect(told.isSubset(of: seen), "\(role) was told of \(told.subtracting(seen))")
        } else {
            #expect(told.isEmpty)
        }
        held = (since > 0 ? held : []).subtracting(told).union(drain.rows)
        #expect(held == truth[role], "\(role) from \(since)")
        ids[role] = (held, drain.at)
        try await replicas[role]!.drain(from: scene.scene.bench, pageSize: pageSize)
        #expect(replicas[role]!.isConfirmed, "digests of \(role)")
    }
}
