import SyncAccounts
import SyncProtocol
import SyncStore
import SyncTestKit

extension World {
    /// How many syncs a device may need until nothing is left that can be sent.
    private static let deadline = 8

    /// Delivers everything that the network held back. Every device then syncs over a sound network until it is
    /// settled. After that each device pulls, with no write in between.
    func heal() async throws {
        try await deliverHeld(upTo: .max)
        for index in devices.indices { try await settle(index) }
        // A device learns only now of rows whose files it has.
        if !added.isEmpty { for index in devices.indices { try await settle(index) } }
        for index in devices.indices {
            try await perform(Exchange(verb: .pull, pageSize: 7, incidents: []), on: index)
        }
    }

    private func settle(_ index: Int) async throws {
        for _ in 0..<World.deadline {
            try await perform(Exchange(verb: .sync, pageSize: 50, incidents: []), on: index)
            if try await devices[index].isSettled(as: roles(on: index)) { return }
        }
        throw Failure("device \(index) does not get rid of its edits")
    }

    /// The roles of a user now, by project. The user is named by the role that they began with.
    func roles(of user: Role) async throws -> [String: Role] {
        let bench = server.bench
        let id = bench.caller(user).userID
        return try await bench.store.read { transaction in
            try transaction.projects(of: id, after: "", limit: 1000).reduce(into: [:]) { roles, project in
                roles[project.id] = try transaction.access(project: project.id, user: id)?.role
            }
        }
    }

    /// The roles of the device's user in the projects that the device syncs.
    func roles(on device: Int) async throws -> [String: Role] {
        let spec = devices[device].spec
        return try await roles(of: spec.user).filter { spec.isUserWide || $0.key == Edit.first }
    }

    /// The rows that the user may see now in these projects, according to the protocol.
    func truth(for user: Role, in roles: [String: Role]) async throws -> [RowKey: JSON] {
        let bench = server.bench
        var rows: [RowKey: JSON] = [:]
        for (project, role) in roles {
            try await rows.merge(bench.visibleRows(to: bench.caller(user), as: role, in: project)) { $1 }
        }
        return rows
    }
}
