import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore

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
