import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore

extension MemberService {
    /// Removes a user, in one transaction: ends their memberships, with one commit per project, and everything that the
    /// account can log in with. The account stays, disabled, and its name stays taken, because rows and history name
    /// their authors. Returns the number of projects.
    ///
    /// Throws `not_found`, and `last_owner` with the projects that
    /// would be left without an owner. Then nothing is done.
    @discardableResult
    package func removeUser(_ username: String) async throws -> Int {
        let now = clock.now()
        return try await changeEverywhere(username) { user, projects, transaction in
            let orphans = try projects.filter { try !leave($0.id, user, transaction, now) }
            guard orphans.isEmpty else { throw refusal(user, orphans) }
            try transaction.setDisabled(true, user: user.id)
            try transaction.setPasswordHash(nil, user: user.id)
            let ended = try transaction.endCredentials(of: user, tokens: true)
            for device in try transaction.devices(of: user.id, in: nil) { _ = try transaction.forgetDevice(device.key) }
            try transaction.audit(
                AuditEntry(
                    .userRemoved, by: actor, subject: user.id,
                    details: ended.counts.merging(["projects": .int(Int64(projects.count))]) { $1 }, at: now))
            return projects.count
        }
    }

    /// Ends the user's membership of a project. False if the project would be left without an owner.
    private func leave(
        _ project: String, _ user: User, _ transaction: any WriteTransaction, _ now: Instant
    ) throws -> Bool {
        let draft = Draft(transaction, registry, project: project, author: user.id, by: actor, now: now)
        do {
            _ = try Membership(draft: draft, newID: newID).end(of: user.id)
        } catch let problem as Problem where problem.code == .lastOwner {
            return false
        }
        _ = try draft.commit()
        return true
    }

    private func refusal(_ user: User, _ orphans: [StoredRow]) -> Problem {
        let name = registry.projects.position("name")
        let list = orphans.map { row in
            [name.flatMap { row.values[$0].string }, "(\(row.id))"].compactMap(\.self).joined(separator: " ")
        }
        return Problem(
            .lastOwner,
            "\(user.username) is the only owner of \(list.joined(separator: ", ")). Nothing was done. "
                + "Make somebody else owner first: "
                + "tidemark member add --project \(orphans[0].id) --user NAME --role owner")
    }
}
