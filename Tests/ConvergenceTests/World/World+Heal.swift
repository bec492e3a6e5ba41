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
        for index in devices.indices {
            try await perform(Exchange(verb: .pull, pageSize: 7, incidents: []), on: index)
        }
    }

    private func settle(_ index: Int) async throws {
        for _ in 0..<World.deadline {
            try await perform(Exchange(verb: .sync, pageSize: 50, incidents: []), on: index)
            if try await devices[index].isSettled(as: role(of: devices[index].spec.user)) { return }
        }
        throw Failure("device \(index) does not get rid of its edits")
    }

    /// The role that a user has now, by the role that they began with; nil if they are not a member.
    func role(of user: Role) async throws -> Role? {
        let bench = server.bench
        return try await bench.store.read { transaction in
            try transaction.access(project: bench.project, user: bench.caller(user).userID)?.role
        }
    }

    /// The rows that the user may see now, according to the protocol.
    func truth(for user: Role, as role: Role?) async throws -> [RowKey: JSON] {
        guard let role else { return [:] }
        return try await server.bench.visibleRows(to: server.bench.caller(user), as: role)
    }
}
