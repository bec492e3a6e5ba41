public import SyncEngine
public import SyncProtocol
public import SyncSchema

/// A project with users of every role on any store, and the services on it. The clock stands still and ids are counted,
/// so that two stores given the same commands hold the same bytes.
public struct Workbench<Store: SyncStore>: Sendable {
    public let store: Store
    public let registry: Registry
    public let project: String
    public let pulls: PullService<Store>
    public let uploads: UploadService<Store>
    public let projects: ProjectService<Store>
    public let accounts: AccountService<Store>
    /// One a role.
    public let callers: [Role: Caller]

    public static var noon: SyncProtocol.Timestamp { SyncProtocol.Timestamp("2026-06-01T12:00:00Z")! }

    public init(_ store: Store, _ registry: Registry, project: String = "p1") async throws {
        try await Installation.prepare(store)
        self.store = store
        self.registry = registry
        self.project = project
        let clock = WallClock { Workbench.noon }
        let newID = NewID.counted(prefix: project + "-")
        pulls = try await PullService(store: store, registry: registry)
        uploads = UploadService(store: store, registry: registry, clock: clock, retention: .seconds(720 * 3600))
        projects = ProjectService(store: store, registry: registry, clock: clock, newID: newID)
        accounts = AccountService(store: store, registry: registry, clock: clock, newID: newID)
        callers = try await Workbench.makeCallers(accounts, projects, project)
    }

    private static func makeCallers(
        _ accounts: AccountService<Store>, _ projects: ProjectService<Store>, _ project: String
    ) async throws -> [Role: Caller] {
        var callers: [Role: Caller] = [:]
        for role in Role.allCases.reversed() {
            let name = "\(role.word.lowercased())-\(project)"
            let user = try await accounts.addUser(name)
            let caller = Caller(userID: user.id, username: name)
            callers[role] = caller
            if role == .owner {
                let fields: [String: JSON] = ["id": .string(project), "name": "Test", "start_date": "2026-01-05"]
                _ = try await projects.create(fields, by: caller)
            } else {
                try await accounts.addMember(name, to: project, as: role)
            }
        }
        return callers
    }

    public func caller(_ role: Role) -> Caller { callers[role]! }

    /// Edits rows of any collection by the write funnel. Returns the commit, nil where nothing changed.
    @discardableResult
    public func edit(as role: Role = .owner, _ body: @Sendable (RowEditor) throws -> Void) async throws -> SyncSeq? {
        let author = caller(role).userID
        return try await store.write { transaction in
            let draft = Draft(transaction, registry, project: project, author: author, now: Workbench.noon)
            try body(RowEditor(draft: draft))
            return try draft.commit()
        }
    }

    /// Uploads `changes` of tasks under a batch id.
    public func upload(
        _ changes: JSON, batch: String, as role: Role = .member, members: [String: JSON] = [:]
    ) async throws -> UploadAnswer {
        var body: [String: JSON] = ["client_batch_id": .string(batch), "changes": ["tasks": changes]]
        body.merge(members) { _, new in new }
        let request = try UploadRequest(project: project, body: .object(body), registry: registry, maximumRows: 500)
        return try await uploads.upload(request, by: caller(role))
    }
}

/// Edits rows of a draft by name.
public struct RowEditor {
    public let draft: Draft

    /// A new row: `fields` over the schema's defaults.
    public func insert(_ collection: String, _ id: String, _ fields: [String: JSON]) throws {
        let collection = draft.registry[collection]!
        try draft.insert(
            RowKey(collection.name, id), values: collection.fields.map { fields[$0.name] ?? $0.fallback })
    }

    /// Other values for fields of a row.
    public func update(_ collection: String, _ id: String, _ fields: [String: JSON]) throws {
        let collection = draft.registry[collection]!
        try draft.update(RowKey(collection.name, id)) { values in
            for (name, value) in fields { values[collection.position(name)!] = value }
        }
    }

    /// Deletes the row and what its schema cascades to.
    public func delete(_ collection: String, _ id: String) throws { try draft.delete(RowKey(collection, id)) }
}
