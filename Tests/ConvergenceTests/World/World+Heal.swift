import SyncAccounts
import SyncProtocol
import SyncStore
import SyncTestKit

extension World {
    /// Syncs that a device may need until nothing is left that can be sent.
    private static let deadline = 8

    /// What the network kept arrives, and every device syncs over a sound one until it is settled; then, with no write
    /// in between, each pulls.
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

    /// The role that a user has now, by the role that they began with; nil for none.
    func role(of user: Role) async throws -> Role? {
        let bench = server.bench
        return try await bench.store.read { transaction in
            try transaction.access(project: bench.project, user: bench.caller(user).userID)?.role
        }
    }

    /// What a user may see now, by the words of the contract.
    func truth(for user: Role, as role: Role?) async throws -> [RowKey: JSON] {
        guard let role else { return [:] }
        return try await server.bench.visibleRows(to: server.bench.caller(user), as: role)
    }
}
