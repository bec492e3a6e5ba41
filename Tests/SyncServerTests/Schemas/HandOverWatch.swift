import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// The replicas of a team that pull at random moments, and what may be delivered to each.
struct HandOverWatch {
    private let team: Team
    private var replicas: [Role: (ids: Set<String>, since: Int64, exact: DrainClient)] = [:]
    /// By head, the rows that each member could see. The creator of a row has seen it.
    private var sights: [Role: [(head: Int64, ids: Set<String>)]] = [:]

    init(_ team: Team) async throws {
        self.team = team
        for role in Team.roles { replicas[role] = ([], 0, DrainClient(team.scene.bench.caller(role))) }
        try await look()
    }

    private mutating func look(made: (Role, String)? = nil) async throws {
        let head = try await team.head()
        for role in Team.roles {
            var ids = try await team.visible(to: role)
            if let made, made.0 == role { ids.insert(made.1) }
            sights[role, default: []].append((head, ids))
        }
    }

    mutating func write(_ step: Int, _ random: inout SeededGenerator) async throws {
        let next = (Team.roles + [nil]).randomElement(using: &random)!
        let way = HandOverTests.Way.allCases.randomElement(using: &random)!
        let owner = Team.roles.randomElement(using: &random)!
        guard let id = try await team.visible(to: owner).sorted().randomElement(using: &random),
            Int.random(in: 0..<4, using: &random) > 0
        else {
            try await team.make("n\(step)", of: next, by: owner, way)
            return try await look(made: (owner, "n\(step)"))
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: #expect(try await team.client(owner).remove("notes", id).status == 204)
        case 1: try await team.client(owner).patch("notes", id, ["text": .string("\(step)")])
        default: try await team.give(id, from: owner, to: next, way)
        }
        try await look()
    }

    mutating func pull(_ role: Role, _ random: inout SeededGenerator) async throws {
        var replica = replicas[role]!
        let pageSize = [1, 2, 1000].randomElement(using: &random)!
        let drain = try await team.client(role).drain(since: replica.since, pageSize: pageSize)
        let told = Set(drain.deleted.filter { $0.collection == "notes" }.map(\.id))
        let since = replica.since
        // What it could see when it last pulled, and in every state since then.
        let last = sights[role]!.last { $0.head <= since }?.ids ?? []
        let seen = sights[role]!.filter { $0.head > since }.reduce(into: last) { $0.formUnion($1.ids) }
        if since > 0 { #expect(told.isSubset(of: seen), "\(role) was told of \(told.subtracting(seen))") }
        replica.ids = (since > 0 ? replica.ids : []).subtracting(told).union(drain.ids("notes"))
        replica.since = drain.timestamp
        #expect(try await replica.ids == team.visible(to: role))
        try await replica.exact.drain(from: team.scene.bench, pageSize: pageSize)
        #expect(replica.exact.isConfirmed)
        replicas[role] = replica
    }
}
