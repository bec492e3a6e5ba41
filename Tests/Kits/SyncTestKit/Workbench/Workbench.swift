package import SyncAccounts
package import SyncEngine
package import SyncProtocol
package import SyncSchema
package import SyncStore

/// A project on any store, with a user of every role, and the services on it. The clock does not move and ids are
/// counted. Two stores that get the same commands hold the same bytes.
package struct Workbench<Store: SyncStore>: Sendable {
    package let store: Store
    package let registry: Registry
    package let project: String
    package let pulls: PullService<Store>
    package let uploads: UploadService<Store>
    package let projects: ProjectService<Store>
    package let items: ItemService<Store>
    package let accounts: AccountService<Store>
    package let members: MemberService<Store>
    /// One caller for each role.
    package let callers: [Role: Caller]

    /// The time of the clock, which does not move.
    package static var noon: SyncProtocol.Instant { SyncProtocol.Instant("2026-06-01T12:00:00Z")! }

    /// Creates the users and the project. `users` is called in between.
    package init(
        _ store: Store, _ registry: Registry, project: String = "p1",
        users: (AccountService<Store>, [Role: Caller]) async throws -> Void = { _, _ in }
    ) async throws {
        try await self.init(store, registry, project, ids: project) { accounts, members, projects in
            let callers = try await Workbench.makeUsers(accounts, project)
            try await users(accounts, callers)
            try await Workbench.makeProject(project, of: callers, members, projects)
            return callers
        }
    }

    private init(
        _ store: Store, _ registry: Registry, _ project: String, ids: String,
        callers: (AccountService<Store>, MemberService<Store>, ProjectService<Store>) async throws -> [Role: Caller]
    ) async throws {
        try await Installation.prepare(store)
        self.store = store
        self.registry = registry
        self.project = project
        let clock = WallClock { Workbench.noon }
        let newID = NewID.counted(prefix: ids + "-")
        pulls = try await PullService(store: store, registry: registry)
        let retention = Duration.seconds(720 * 3600)
        uploads = UploadService(
            store: store, registry: registry, clock: clock,
            retention: UploadRetention(batches: retention, history: retention, inbox: retention), limits: .none,
            newID: newID)
        items = ItemService(store: store, registry: registry, clock: clock, newID: newID, retention: retention)
        projects = ProjectService(store: store, registry: registry, clock: clock, newID: newID)
        accounts = AccountService(store: store, clock: clock, passwords: .quick)
        members = MemberService(store: store, registry: registry, clock: clock, newID: newID)
        self.callers = try await callers(accounts, members, projects)
    }

    /// Another project of the same users, with the same roles, on the same store.
    package func another(_ project: String) async throws -> Workbench {
        try await Workbench(store, registry, project, ids: project) { _, members, projects in
            try await Workbench.makeProject(project, of: callers, members, projects)
            return callers
        }
    }

    /// A project that exists on the same store, with the same users.
    package func existing(_ project: String) async throws -> Workbench {
        try await Workbench(store, registry, project, ids: "\(project)-again") { _, _, _ in callers }
    }

    /// The same project and users on another store that already has them, as after a restart or a restore.
    package func moved(to store: Store) async throws -> Workbench {
        let head = try await store.read { try $0.project(project)?.head ?? .zero }
        return try await Workbench(store, registry, project, ids: "\(project)-\(head)") { _, _, _ in callers }
    }

    private static func makeUsers(
        _ accounts: AccountService<Store>, _ project: String
    ) async throws -> [Role: Caller] {
        var callers: [Role: Caller] = [:]
        for role in Role.allCases.reversed() {
            let name = "\(role.word.lowercased())-\(project)"
            let user = try await accounts.addUser(name)
            callers[role] = Caller(userID: user.id, username: user.username, credential: "token:bench")
        }
        return callers
    }

    private static func makeProject(
        _ project: String, of callers: [Role: Caller], _ members: MemberService<Store>,
        _ projects: ProjectService<Store>
    ) async throws {
        let fields: [String: JSON] = ["id": .string(project), "name": "Test", "start_date": "2026-01-05"]
        _ = try await projects.create(fields, by: callers[.owner]!)
        for role in Role.allCases.reversed() where role != .owner {
            try await members.addMember(callers[role]!.username.rawValue, to: project, as: role)
        }
    }

    package func caller(_ role: Role) -> Caller { callers[role]! }

    /// Edits rows of any collection through a draft. Returns the commit; nil when nothing changed.
    @discardableResult
    package func edit(as role: Role = .owner, _ body: @escaping @Sendable (RowEditor) throws -> Void) async throws
        -> SyncSeq?
    {
        let author = caller(role).userID
        return try await store.write { transaction in
            let draft = Draft(transaction, registry, project: project, author: author, now: Workbench.noon)
            try body(RowEditor(draft: draft))
            return try draft.commit()
        }
    }

    /// Uploads changes of tasks as the batch `batch`. `members` are added to the request's body.
    package func upload(
        _ changes: JSON, batch: String, as role: Role = .member, members: [String: JSON] = [:]
    ) async throws -> UploadAnswer {
        var body: [String: JSON] = ["client_batch_id": .string(batch), "changes": ["tasks": changes]]
        body.merge(members) { _, new in new }
        let request = try UploadRequest(project: project, body: .object(body), registry: registry, maximumRows: 500)
        return try await uploads.upload(request, by: caller(role))
    }
}
