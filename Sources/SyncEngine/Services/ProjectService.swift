package import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore
import SyncValues

/// Creates and lists projects.
package struct ProjectService<Store: SyncStore>: Sendable {
    let store: Store
    let registry: Registry
    let clock: WallClock
    let newID: NewID
    /// How long an idempotency key is remembered.
    private let retention: Duration
    private let limits: UploadLimits
    private let quotas: Quotas

    package init(
        store: Store, registry: Registry, clock: WallClock, newID: NewID = .uuid,
        retention: Duration = .seconds(720 * 3600), limits: UploadLimits = .none, quotas: Quotas = Quotas()
    ) {
        self.quotas = quotas
        self.store = store
        self.registry = registry
        self.clock = clock
        self.newID = newID
        self.retention = retention
        self.limits = limits
    }

    /// Creates a project that the caller owns, with a default calendar if `fields` name none. Its head is 1. With an
    /// idempotency key, it is created only once.
    ///
    /// Throws `read_only_token`, `invalid_rows` for fields that nobody can write, `idempotency_key_reused`,
    /// `rate_limited`, `invalid_rows`, `id_unavailable`.
    package func create(_ fields: [String: JSON], key: String? = nil, by caller: Caller) async throws -> Item {
        try caller.requireWrite()
        try refuseForeign(fields, userID: caller.userID)
        let now = clock.now()
        let content = content(of: fields, by: caller)
        let claim = limits.claim(user: caller.userID)
        return try await store.write(.project(try content.projectID(registry))) { transaction in
            let records = IdempotencyRecords(transaction: transaction, now: now, retention: retention)
            let once = key.map {
                WriteOnce(
                    .create($0, project: "", userID: caller.userID), fields: fields, in: registry.projects,
                    records: records)
            }
            if let replay = try once?.replay() { return replay }
            try claim.take([])
            let item = try lifting { try create(content, in: transaction, at: now, quotas: quotas) }
            try once?.keep(item)
            return item
        }
    }

    private func content(of fields: [String: JSON], by caller: Caller) -> ProjectContent {
        var project = fields
        if project["id"] == nil { project["id"] = .string(newID()) }
        var rows: [String: [[String: JSON]]] = [:]
        if let calendars = registry.projects.field("calendar")?.reference?.collection,
            project["calendar"] ?? .null == .null
        {
            let calendar = JSON.string(newID())
            project["calendar"] = calendar
            rows[calendars] = [ProjectContent.defaultCalendar.merging(["id": calendar]) { $1 }]
        }
        rows[registry.projects.name] = [project]
        var content = ProjectContent(rows: rows, owner: caller.userID, members: [:], by: caller.actor)
        content.judged = JudgedValues(project, of: registry.projects, repairs: false)
        return content
    }

    /// Reports errors as for any single row: the caller sent one row, not the content of a project.
    private func lifting(_ create: () throws -> Item) throws -> Item {
        do {
            return try create()
        } catch var problem as Problem where problem.code == .invalidRows {
            for index in problem.errors.indices {
                problem.errors[index].pointer.trimPrefix("/\(registry.projects.name)/0")
            }
            throw Problem(refusing: problem.errors) ?? problem
        }
    }

    private func refuseForeign(_ fields: [String: JSON], userID: Int64) throws {
        let edit = RowEdit(collection: registry.projects, role: nil, userID: userID)
        var problems = edit.foreignFields(fields.filter { $0.key != "id" })
        if let id = fields["id"], !(id.string.map(RowID.isValid) ?? false) { problems.append(.invalidID) }
        let rows = problems.map { RowProblem($0, at: "", collection: registry.projects.name, id: nil) }
        if let refusal = Problem(refusing: rows) { throw refusal }
    }

    /// Creates a project with all its content, in one transaction. Its head is 1.
    ///
    /// Throws `invalid_rows` with the rows at fault, `id_unavailable`.
    package func create(_ content: ProjectContent) async throws -> Item {
        let now = clock.now()
        return try await store.write(.project(try content.projectID(registry))) { try create(content, in: $0, at: now) }
    }

    func create(
        _ content: ProjectContent, in transaction: any WriteTransaction, at now: Instant, quotas: Quotas = .none
    ) throws -> Item {
        let project = try content.projectID(registry)
        try requireFree(project, transaction)
        try transaction.createProject(project)
        for file in content.files {
            try transaction.add(file)
            try transaction.noteSender(of: file.digest, to: project, content.owner)
        }
        let draft = Draft(transaction, registry, project: project, author: content.owner, by: content.actor, now: now)
        try ContentLoader(draft: draft, content: content, newID: newID).load()
        let key = RowKey(registry.projects.name, project)
        if let violation = try QuotaCheck(quotas: quotas, draft: draft).violations()[key] {
            let problem = RowProblem(violation, at: "/\(key.collection)/0", collection: key.collection, id: project)
            throw Problem(.invalidRows, violation.detail, errors: [problem])
        }
        _ = try draft.commit()
        return Item(try draft.record(RowKey(registry.projects.name, project))!, in: registry.projects)
    }

    /// Throws `id_unavailable` if a project has or had the id.
    func requireFree(_ project: String, _ transaction: any ReadTransaction) throws {
        guard try transaction.project(project) == nil else {
            throw Problem(.idUnavailable, "The id \(project) can't be used. Choose another.")
        }
    }

    /// The caller's projects (all, for a superuser), ordered by id, after the id `after`.
    package func list(for caller: Caller, after: String, limit: Int) async throws -> ItemPage {
        let projects = registry.projects
        return try await store.read(.user(caller.userID)) { transaction in
            let user = caller.isSuperuser ? nil : caller.userID
            return try ItemPage(after: after, place: \.id, limit: limit, in: projects) { after, count in
                try transaction.projects(of: user, after: after, limit: count)
            }
        }
    }
}

extension ProjectService {
    /// The caller's projects (all, for a superuser) as a filtered or sorted list.
    package func list(
        _ query: ListQuery, after: ListPlace?, limit: Int, for caller: Caller
    ) async throws -> ItemPage {
        try await store.read(.user(caller.userID)) { transaction in
            let scope = Listing.Scope.projects(of: caller.isSuperuser ? nil : caller.userID)
            return try ItemPage(query, scope: scope, after: after, limit: limit, in: transaction)
        }
    }
}

extension ProjectService {
    /// Adds rows to an existing project on behalf of `author`, whatever the author's role: one transaction, one
    /// commit, which the audit list has. The rules of every other write apply. `rows` are wire rows by collection, each
    /// with its id, without projects and memberships.
    ///
    /// Throws `not_found`, `project_deleted`, and `invalid_rows` with the rows at fault. Then nothing is stored.
    package func add(_ rows: [String: [[String: JSON]]], to project: String, by author: User) async throws {
        let now = clock.now()
        let content = ProjectContent(rows: rows, owner: author.id, members: [:])
        try await store.write(.project(project)) { transaction in
            let server = Caller(userID: author.id, username: author.username, isSuperuser: true)
            _ = try ProjectAccess(server, project: project, in: transaction)
            let draft = Draft(transaction, registry, project: project, author: author.id, now: now)
            try ContentLoader(draft: draft, content: content, newID: newID).loadRows()
            _ = try draft.commit()
            try transaction.audit(
                AuditEntry(
                    .rowsImported, by: .thisProcess, project: project,
                    details: rows.mapValues { .int(Int64($0.count)) }, at: now))
        }
    }
}

extension ProjectService {
    /// All live projects, ordered by id, from one committed state.
    package func summaries() async throws -> [ProjectSummary] {
        let name = registry.projects.position("name")
        return try await store.read(.installation) { transaction in
            try transaction.allProjects(of: nil).map { row in
                let counts = try transaction.counts(project: row.id)
                return ProjectSummary(
                    id: row.id, name: name.flatMap { row.values[$0].string } ?? "",
                    isArchived: try transaction.project(row.id)?.isArchived ?? false,
                    members: counts[registry.memberships.name]?.live ?? 0,
                    rows: counts.values.reduce(0) { $0 + $1.live })
            }
        }
    }
}

/// A live project, as the operator's list shows it.
package struct ProjectSummary: Sendable, Equatable {
    package let id: String
    /// Empty if projects have no `name` in the schema.
    package let name: String
    package let isArchived: Bool
    package let members: Int
    /// Number of live rows in all collections, including the project's own row and its memberships.
    package let rows: Int
}

extension ReadTransaction {
    /// Throws `not_found` or `project_deleted` unless the project is live. For the operator's commands.
    func requireLive(_ project: String) throws {
        guard RowID.isValid(project), let state = try self.project(project) else {
            throw Problem(.notFound, "There is no project \(project). To list the projects: tidemark project list")
        }
        guard !state.isDeleted else { throw Problem(.projectDeleted, "The project \(project) was deleted.") }
    }

    /// All live projects of a user, or of everybody if `user` is nil, ordered by id.
    func allProjects(of user: Int64?) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        while true {
            let page = try projects(of: user, after: rows.last?.id ?? "", limit: 100)
            rows += page
            if page.count < 100 { return rows }
        }
    }
}
