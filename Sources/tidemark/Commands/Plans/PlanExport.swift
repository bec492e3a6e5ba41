import MSPDI
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore

/// Turns a project into a plan, from one committed state.
struct PlanExport {
    let wiring: Wiring

    /// Throws `Problem`.
    func run(_ project: String) async throws -> WrittenPlan {
        let users = try await wiring.services.accounts.planUsers()
        let content = try await wiring.services.exports
            .rows(of: project, in: PlanWriter.collections)
        return PlanWriter(rows: content.rows, others: content.others, users: users).write()
    }
}

extension AccountService {
    /// The users that the resources of a plan can stand for: those that are not disabled.
    func planUsers() async throws -> [PlanUser] {
        try await users().filter { !$0.isDisabled }
            .map { PlanUser(id: $0.id, username: $0.username.rawValue, displayName: $0.displayName) }
    }
}
