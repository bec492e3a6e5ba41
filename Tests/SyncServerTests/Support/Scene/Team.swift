import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Three members who give rows to each other.
struct Team: Sendable {
    static let roles: [Role] = [.member, .scheduler, .admin]
    static var later: Instant { Instant("2027-06-01T12:00:00Z")! }

    let scene: Scene
    private let clients: [Role: Client]

    init(_ scene: Scene) async throws {
        self.scene = scene
        var clients: [Role: Client] = [:]
        for role in Team.roles { clients[role] = try await scene.client(role) }
        self.clients = clients
    }

    func client(_ role: Role) -> Client { clients[role]! }

    func user(_ role: Role?) -> JSON { role.map(scene.userID) ?? .null }

    func head() async throws -> Int64 { try await client(.member).head() }

    func make(_ id: String, of owner: Role?, by maker: Role? = nil, _ way: HandOverTests.Way = .rest) async throws {
        let (client, row) = (client(maker ?? owner!), ["id": .string(id), "owner": user(owner)] as JSON)
        switch way {
        case .rest: #expect(try await client.create("notes", row).status == 201)
        case .upload: #expect(try await client.upload("notes", created: [row]).status == 200)
        }
    }

    func give(_ id: String, from: Role, to: Role?, _ way: HandOverTests.Way) async throws {
        let owner = user(to)
        let answer =
            switch way {
            case .rest: try await client(from).patch("notes", id, ["owner": owner])
            case .upload: try await client(from).upload("notes", updated: [["id": .string(id), "owner": owner]])
            }
        #expect(answer.status == 200, "\(answer.text)")
    }

    /// The notes and memberships of a drain.
    func drain(_ role: Role, _ since: Int64, _ pageSize: Int = 1000) async throws -> Drain {
        try await client(role).drain(since: since, pageSize: pageSize, collections: since > 0 ? nil : "notes")
    }

    /// The rows that a member may see now.
    func visible(to role: Role) async throws -> Set<String> {
        let (notes, owner) = (scene.registry["notes"]!, user(role))
        let position = notes.position("owner")!
        return try await scene.bench.store.read { transaction in
            let rows = try transaction.records(in: notes, project: "p1")
            return Set(rows.filter { $0.values[position] == owner }.map(\.id))
        }
    }

    /// New replicas have what they should, also by the server's digests, and the database is sound.
    func checkReplicas() async throws {
        for role in Team.roles {
            for pageSize in [1, 1000] {
                var replica = DrainClient(scene.bench.caller(role))
                try await replica.drain(from: scene.bench, pageSize: pageSize)
                let ids = Set(replica.rows.keys.filter { $0.collection == "notes" }.map(\.id))
                #expect(try await ids == visible(to: role))
                #expect(replica.isConfirmed)
            }
        }
        let check = DatabaseCheck(path: scene.folder.path("t.db"))
        #expect(try check.run().findings == [])
    }
}
