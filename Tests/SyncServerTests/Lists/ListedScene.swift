import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQLite
import SyncStores
import SyncTestKit
import Testing

/// A server on which inspections are for those who are named in them and for admins, and findings and photos for those
/// who see their inspection.
struct ListedScene: Sendable {
    static let names = ["inspections", "findings", "photos"]
    static let parents = ["findings": "inspections", "photos": "findings"]
    static let roles: [Role] = [.viewer, .member, .scheduler, .admin]

    let scene: Scene
    let clients: [Role: Client]

    static func schemas(role: String? = "ADMIN", _ rights: [String: JSON] = [:]) -> [JSON] {
        var sight: [String: JSON] = ["listed": ["assignee", "reviewers"]]
        if let role { sight["role"] = .string(role) }
        let all: [String: JSON] = ["create": "VIEWER", "update": "VIEWER", "delete": "VIEWER"]
        let members: [String: JSON] = ["x-roles": .object(all.merging(rights) { $1 })]
        let text: JSON = ["type": "string", "default": ""]
        let inspections: [String: JSON] = [
            "text": text, "assignee": ["type": ["integer", "null"], "x-user": ["on-leave": "clear"]],
            "reviewers": [
                "type": "array", "items": ["type": "integer"], "maxItems": 5, "default": [],
                "x-user": ["on-leave": "keep"],
            ],
        ]
        return [
            OwnSchemas.notes(
                .object(inspections), members.merging(["x-visibility": .object(sight)]) { $1 }, named: "inspections")
        ]
            + ["findings", "photos"].map { name in
                let above: JSON = [
                    "type": "string", "x-ref": ["collection": .string(parents[name]!), "on-delete": "cascade"],
                ]
                let own: [String: JSON] = ["x-visibility": ["inherit": "above"], "required": ["above"]]
                return OwnSchemas.notes(["text": text, "above": above], members.merging(own) { $1 }, named: name)
            }
    }

    init(_ schemas: [JSON] = schemas()) async throws {
        scene = try await Scene(schemas: schemas)
        var clients: [Role: Client] = [:]
        for role in Self.roles { clients[role] = try await scene.client(role) }
        self.clients = clients
    }

    func client(_ role: Role) -> Client { clients[role]! }

    func user(_ role: Role) -> JSON { scene.userID(role) }

    func head() async throws -> Int64 { try await client(.admin).head() }

    /// Makes an inspection of these users, by the first of them.
    func inspect(_ id: String, by users: Role...) async throws {
        let row: JSON = [
            "id": .string(id), "assignee": user(users[0]), "reviewers": .array(users.dropFirst().map(user)),
        ]
        #expect(try await client(users[0]).create("inspections", row).status == 201)
    }

    func add(_ name: String, _ id: String, to parent: String, by role: Role) async throws {
        let row: JSON = ["id": .string(id), "above": .string(parent)]
        #expect(try await client(role).create(name, row).status == 201)
    }

    /// What a drain has of the collections with lists.
    func drain(_ role: Role, since: Int64 = 0, pageSize: Int = 1000) async throws -> (
        rows: [String], deleted: [String], at: Int64
    ) {
        let drain = try await client(role).drain(since: since, pageSize: pageSize)
        func ids(_ keys: some Sequence<RowKey>) -> [String] {
            keys.filter { Self.names.contains($0.collection) }.map(\.id).sorted()
        }
        return (ids(drain.rows.keys), ids(drain.deleted), drain.timestamp)
    }

    /// The rows that each member may see, by the values of the rows alone.
    func truth() async throws -> [Role: Set<String>] {
        let registry = scene.registry
        let ids = Dictionary(uniqueKeysWithValues: Self.roles.map { ($0, scene.bench.caller($0).userID) })
        let least = registry["inspections"]!.listedRole
        return try await scene.bench.store.read { transaction in
            var rows: [RowKey: StoredRow] = [:]
            for name in Self.names {
                for row in try transaction.records(in: registry[name]!, project: "p1") {
                    rows[RowKey(name, row.id)] = row
                }
            }
            func top(_ key: RowKey) -> StoredRow? {
                guard let parent = Self.parents[key.collection], let row = rows[key] else { return rows[key] }
                let id = row.values[registry[key.collection]!.position(named: "above")].string
                return id.flatMap { top(RowKey(parent, $0)) }
            }
            let inspections = registry["inspections"]!
            let places = ["assignee", "reviewers"].map { inspections.position(named: $0) }
            var visible: [Role: Set<String>] = [:]
            for (role, user) in ids {
                let present = try transaction.access(project: "p1", user: user)?.role
                let seesAll = least.map { least in present.map { $0 >= least } ?? false } ?? false
                visible[role] = Set(
                    rows.keys.filter { key in
                        let named = top(key).map { row in places.flatMap { row.values[$0].array ?? [row.values[$0]] } }
                        return present != nil && (seesAll || named?.contains(.int(user)) ?? false)
                    }.map(\.id))
            }
            return visible
        }
    }

    /// The stored spans and digests are those of the rows.
    func checkDatabase() throws {
        guard TestEngine.isSQLite else { return }
        let report = try DatabaseCheck(path: scene.folder.path("t.db")).run()
        #expect(report.isSound, "\(report.text)")
    }
}
