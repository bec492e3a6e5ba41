import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore
import SyncValues

/// Manages the memberships of projects, for the operator and for superusers. The audit list has each change.
package struct MemberService<Store: SyncStore>: Sendable {
    let store: Store
    let registry: Registry
    let clock: WallClock
    let newID: NewID
    let actor: Actor

    package init(
        store: Store, registry: Registry, clock: WallClock, newID: NewID = .uuid, actor: Actor = .thisProcess
    ) {
        self.store = store
        self.registry = registry
        self.clock = clock
        self.newID = newID
        self.actor = actor
    }

    /// The same service, for somebody else.
    package func acting(as actor: Actor) -> MemberService {
        MemberService(store: store, registry: registry, clock: clock, newID: newID, actor: actor)
    }

    /// Makes the user a member, or changes a member's role: one commit of the project, or none if nothing changes.
    ///
    /// Throws `not_found` for an unknown project or user, `project_deleted`, and `last_owner`.
    package func addMember(_ username: String, to project: String, as role: Role) async throws {
        try await change(username, in: project) { membership, user in try membership.set(role, of: user.id) }
    }

    /// Ends a membership: one commit of the project. Throws what `addMember`
    /// throws, and `not_found` if the user is not a member.
    package func removeMember(_ username: String, from project: String) async throws {
        try await change(username, in: project) { membership, user in
            guard try membership.end(of: user.id) else {
                throw Problem(
                    .notFound,
                    "\(user.username) is not a member of \(project). "
                        + "To list the members: tidemark member list --project \(project)")
            }
        }
    }

    private func change(
        _ username: String, in project: String, _ edit: @escaping @Sendable (Membership, User) throws -> Void
    ) async throws {
        let now = clock.now()
        try await store.write(.project(project)) { transaction in
            let user = try transaction.requireUser(named: username)
            try transaction.requireLive(project)
            let draft = Draft(transaction, registry, project: project, author: user.id, by: actor, now: now)
            try edit(Membership(draft: draft, newID: newID), user)
            _ = try draft.commit()
        }
    }

    /// Runs `body` in one write, with the user and all live projects that the user is a member of, ordered by id.
    /// Starts again if the user joined or left a project meanwhile. Throws `not_found`.
    func changeEverywhere<Value: Sendable>(
        _ username: String, _ body: @escaping @Sendable (User, [StoredRow], any WriteTransaction) throws -> Value
    ) async throws -> Value {
        while true {
            let known = try await store.read(.accounts) { transaction in
                try transaction.allProjects(of: transaction.requireUser(named: username).id).map(\.id)
            }
            let done: Value? = try await store.write(.accountsAndProjects(known)) { transaction in
                let user = try transaction.requireUser(named: username)
                let projects = try transaction.allProjects(of: user.id)
                return try projects.map(\.id) == known ? body(user, projects, transaction) : nil
            }
            if let done { return done }
        }
    }

    /// The members of a project, highest role first, then by name. Throws `not_found`, `project_deleted`.
    package func members(of project: String) async throws -> [Member] {
        try await store.read(.project(project)) { transaction in
            try transaction.requireLive(project)
            let memberships = registry.memberships
            guard let place = memberships.position("user") else { return [] }
            let members = try transaction.records(in: memberships, project: project).compactMap { row -> Member? in
                guard let id = row.values[place].int, let user = try transaction.user(id: id),
                    let role = try transaction.access(project: project, user: id)?.role
                else { return nil }
                return Member(user: user, role: role)
            }
            return members.sorted { ($1.role, $0.user.username) < ($0.role, $1.user.username) }
        }
    }
}

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
            let orphans = try projects.filter { try !leave($0.id, user: user, in: transaction, at: now) }
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
        _ project: String, user: User, in transaction: any WriteTransaction, at now: Instant
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

extension MemberService {
    /// Changes the display name of a user, in the account and in the live memberships of every
    /// live project: one transaction, with one commit per project. Returns the number of projects
    /// that changed. Throws `not_found`, `bad_format`.
    @discardableResult
    package func rename(_ username: String, displayName: String) async throws -> Int {
        let name = try AccountNaming.displayName(displayName)
        let now = clock.now()
        return try await changeEverywhere(username) { user, projects, transaction in
            try transaction.setDisplayName(name, user: user.id)
            try transaction.audit(
                AuditEntry(
                    .userRenamed, by: actor, subject: user.id,
                    details: ["before": .string(user.displayName), "after": .string(name)], at: now))
            return try projects.map(\.id).filter { project in
                let draft = Draft(transaction, registry, project: project, author: user.id, now: now)
                try Membership.rename(user.id, to: name, in: draft)
                return try draft.commit() != nil
            }.count
        }
    }
}

extension Membership {
    /// Writes the name into the user's live membership, if the schema keeps the name there.
    fileprivate static func rename(_ user: Int64, to name: String, in draft: Draft) throws {
        let memberships = draft.registry.memberships
        guard let field = memberships.fields.first(where: { $0.serverValue == .displayName }),
            let row = try draft.liveRecords(in: memberships, where: memberships.field(named: "user"), holds: .int(user))
                .first
        else { return }
        try draft.set(field, of: RowKey(memberships.name, row.id), to: .string(name))
    }
}

/// Changes the memberships of a draft's project.
struct Membership {
    let draft: Draft
    let newID: NewID

    /// Makes the user a member, or changes a member's role. Throws `last_owner`.
    func set(_ role: Role, of user: Int64) throws {
        let memberships = draft.registry.memberships
        let value = JSON.int(Int64(role.rawValue))
        let present = try draft.liveRecords(in: memberships, where: memberships.field(named: "user"), holds: .int(user))
        guard let row = present.first else {
            let edit = RowEdit(collection: memberships, role: nil, userID: user)
            let values = try edit.inserted(["user": .int(user), "role": value]).get().values
            return try draft.insert(RowKey(memberships.name, newID()), values: values)
        }
        let key = RowKey(memberships.name, row.id)
        try draft.set(memberships.field(named: "role"), of: key, to: value)
        try judged { try draft.checks.check(key) }
    }

    /// Deletes the membership and the rows that the schema cascades to; false if there is none. Throws `last_owner`.
    func end(of user: Int64) throws -> Bool {
        let memberships = draft.registry.memberships
        let present = try draft.liveRecords(in: memberships, where: memberships.field(named: "user"), holds: .int(user))
        guard let row = present.first else { return false }
        let key = RowKey(memberships.name, row.id)
        try draft.delete(key)
        try judged { try draft.checks.checkDelete(key) }
        return true
    }

    private func judged(_ check: () throws -> Void) throws {
        do {
            try check()
        } catch let problem as Violation {
            throw Problem(problem.code, problem.detail)
        }
    }
}

/// A live membership, as the operator sees it.
package struct Member: Sendable, Equatable {
    package let user: User
    package let role: Role
}
