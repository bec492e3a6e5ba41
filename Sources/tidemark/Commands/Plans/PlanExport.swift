import MSPDI
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore

/// Makes a plan of a project, from one committed state.
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
    /// Those that resources of a plan stand for.
    func planUsers() async throws -> [PlanUser] {
        try await users().filter { !$0.isDisabled }
            .map { PlanUser(id: $0.id, username: $0.username.rawValue, displayName: $0.displayName) }
    }
}
