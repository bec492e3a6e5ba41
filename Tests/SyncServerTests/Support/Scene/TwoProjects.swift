import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStores
import SyncTestKit

/// Two projects on one server, `p1` and `p2`, each with a live row and a
/// tombstone in every collection. The ids say which project a row is in.
struct TwoProjects: Sendable {
    let scene: Scene
    let other: Workbench<EngineStore>
    /// The live specimens of each project, by collection.
    let ours: [String: Specimen]
    let theirs: [String: Specimen]
    /// The user id of somebody who was an admin of `p1`.
    let former: Int64

    var collections: [Collection] { scene.registry.collections.filter { $0.scope != .project } }

    init() async throws {
        scene = try await Scene()
        other = try await scene.otherProject()
        ours = try await TwoProjects.fill(scene.bench)
        theirs = try await TwoProjects.fill(other)
        former = try await scene.bench.formerMember("former", as: .admin)
        _ = try await scene.bench.user("nobody")
    }

    /// The id of a row of a collection in a project: `live`, `dead`, or one that `never` existed.
    static func id(_ state: String, _ collection: String, in project: String) -> String {
        "\(project)-\(state)-\(collection)"
    }

    private static func fill(_ bench: Workbench<EngineStore>) async throws -> [String: Specimen] {
        let user = bench.caller(.owner).userID
        var live: [String: Specimen] = [:]
        var dead: [Specimen] = []
        for collection in bench.registry.collections where collection.scope != .project {
            let name = collection.name
            live[name] = try await bench.specimen(name, id("live", name, in: bench.project), user: user)
            dead.append(try await bench.specimen(name, id("dead", name, in: bench.project), user: user))
        }
        let order = bench.registry.collections.compactMap { live[$0.name] }
        try await bench.plant(order + dead, author: user)
        try await bench.bury(dead)
        return live
    }

    /// Every caller without access to `p2`, and one with access.
    func callers() async throws -> [String: Client] {
        [
            "owner of p2": try await scene.client(named: "owner-p2"), "owner of p1": try await scene.client(.owner),
            "member of p1": try await scene.client(.member), "viewer of p1": try await scene.client(.viewer),
            "ex-member of p1": try await scene.client(named: "former"),
            "member of nothing": try await scene.client(named: "nobody"), "nobody": scene.stranger,
        ]
    }
}
