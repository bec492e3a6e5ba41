package import SyncAccounts
package import SyncProtocol
package import SyncSchema
package import SyncStore

/// Reads and changes single rows of every collection. Each change
/// is one write transaction and one commit of the project.
package struct ItemService<Store: SyncStore>: Sendable {
    private let store: Store
    private let registry: Registry
    private let clock: WallClock
    private let newID: NewID
    /// How long an idempotency key is remembered.
    private let retention: Duration
    private let limits: UploadLimits
    private let bytes: UploadRetention.Bytes
    private let quotas: Quotas

    package init(
        store: Store, registry: Registry, clock: WallClock, newID: NewID = .uuid, retention: Duration,
        limits: UploadLimits = .none, bytes: UploadRetention.Bytes = UploadRetention.Bytes(),
        quotas: Quotas = Quotas()
    ) {
        self.quotas = quotas
        self.bytes = bytes
        self.store = store
        self.registry = registry
        self.clock = clock
        self.newID = newID
        self.retention = retention
        self.limits = limits
    }

    /// The live rows of the project that the caller may see, in order of creation, after the position `after`.
    ///
    /// Throws `not_found`, `project_deleted`, `membership_revoked`, `not_a_member`.
    package func list(
        _ collection: Collection, of project: String, after: CreationPosition, limit: Int, for caller: Caller
    ) async throws -> ItemPage {
        try await store.read(.project(project)) { transaction in
            let access = try ProjectAccess(caller, project: project, in: transaction)
            let rows = access.rows(of: collection, registry)
            return try ItemPage(after: after, place: \.creation, limit: limit, in: collection) { after, count in
                try transaction.list(collection, project: project, rows: rows, after: after, limit: count)
            }
        }
    }

    /// The same, filtered or sorted. Rows that the caller may not see don't influence
    /// the result. Throws what the unfiltered list throws.
    package func list(
        _ query: ListQuery, of project: String, after: ListPlace?, limit: Int, for caller: Caller
    ) async throws -> ItemPage {
        try await store.read(.project(project)) { transaction in
            let access = try ProjectAccess(caller, project: project, in: transaction)
            let scope = Listing.Scope.rows(access.rows(of: query.collection, registry), project: project)
            return try ItemPage(query, scope: scope, after: after, limit: limit, in: transaction)
        }
    }

    /// One row. Throws `not_found`; for a project, what `ProjectAccess` throws.
    package func read(_ id: String, in collection: Collection, for caller: Caller) async throws -> Item {
        try await store.read(.row(RowKey(collection.name, id))) { transaction in
            let finder = ItemFinder(caller: caller, registry: registry, transaction: transaction)
            return Item(try finder.find(RowKey(collection.name, id)).record, in: collection)
        }
    }

    /// Creates a row with the id in `fields`, or with a generated one. With an idempotency key, the row is created only
    /// once: a repeated request gets the first one's answer.
    ///
    /// Throws, in this order: `not_found`, `project_deleted`, `membership_revoked`, `not_a_member`,
    /// `idempotency_key_reused`, `read_only_token`, `forbidden`, `project_archived`, `rate_limited`,
    /// `id_unavailable`, then the errors of the fields.
    package func create(
        _ fields: [String: JSON], in collection: Collection, of project: String, key: String?, by caller: Caller
    ) async throws -> Item {
        let now = clock.now()
        let judged = JudgedValues(fields, of: collection, repairs: false)
        let claim = limits.claim(user: caller.userID)
        return try await store.write(.project(project)) { transaction in
            let access = try ProjectAccess(caller, project: project, in: transaction)
            let records = IdempotencyRecords(
                transaction: transaction, now: now, retention: retention,
                allowance: Allowance(bytes: bytes.answers))
            let once = key.map {
                WriteOnce(
                    .create($0, project: project, userID: caller.userID), fields: fields, in: collection,
                    records: records)
            }
            if let replay = try once?.replay() {
                try requireSight(of: RowKey(collection.name, replay.id), access, transaction)
                return replay
            }
            try require(collection.roles.create, to: "Creating", in: collection, access: access)
            try claim.take([project])
            let item = try insert(fields, judged: judged, into: collection, access: access, in: transaction, at: now)
            try once?.keep(item)
            return item
        }
    }

    /// Applies a patch: absent fields keep their value. A patch that changes nothing commits nothing. With an
    /// idempotency key, it is applied only once: a repeated request gets the first one's answer.
    ///
    /// Throws, in this order: `not_found` (for a project, what `ProjectAccess` throws), `idempotency_key_reused`,
    /// `read_only_token`, `forbidden`, `project_archived`, `rate_limited`, `stale_version`, then the errors of the
    /// fields.
    package func update(
        _ id: String, in collection: Collection, _ fields: [String: JSON], if precondition: Precondition,
        key: String? = nil, by caller: Caller
    ) async throws -> Item {
        let request: JSON = [.string(collection.name), .string(id), .object(fields)]
        let judged = JudgedValues(fields, of: collection, repairs: false)
        let claim = limits.claim(user: caller.userID)
        return try await change(id, in: collection, once: key, request: request, by: caller) { record, access, draft in
            try require(
                access.leastRole(for: .update, of: record, in: collection), to: "Changing", in: collection,
                access: access)
            try claim.take([access.project.id])
            try precondition.require(record, in: collection)
            try ItemWriter(collection, draft: draft, access: access, judged: judged, quotas: quotas).update(
                record, fields)
        }
    }

    /// Deletes the row and the rows that its schema cascades to. Deleting a project deletes everything in it.
    ///
    /// Throws, in this order: `not_found` (for a project, what `ProjectAccess` throws), `read_only_token`, `forbidden`,
    /// `project_archived`, `rate_limited`, `stale_version`, `in_use`, `last_owner`.
    package func delete(
        _ id: String, in collection: Collection, if precondition: Precondition, by caller: Caller
    ) async throws {
        let claim = limits.claim(user: caller.userID)
        _ = try await change(id, in: collection, by: caller) { record, access, draft in
            try requireDelete(of: record, in: collection, access: access)
            try claim.take([access.project.id])
            try precondition.require(record, in: collection)
            try ItemWriter(collection, draft: draft, access: access).delete(record)
        }
    }

    /// What the same delete would take along. Nothing is written. Throws what the delete throws, but for
    /// `rate_limited`.
    package func deletion(
        of id: String, in collection: Collection, if precondition: Precondition, by caller: Caller
    ) async throws -> Deletion {
        let key = RowKey(collection.name, id)
        let now = clock.now()
        return try await store.read(.row(key)) { transaction in
            let finder = ItemFinder(caller: caller, registry: registry, transaction: transaction)
            let (record, access) = try finder.find(key)
            try requireDelete(of: record, in: collection, access: access)
            try precondition.require(record, in: collection)
            let draft = Draft(judging: transaction, registry, access, now: now)
            try ItemWriter(collection, draft: draft, access: access).delete(record)
            return try collection.scope == .project
                ? Deletion(of: access, registry, transaction) : Deletion(draft, access)
        }
    }

    /// Sets `is_archived` of a project. An archived project accepts only changes of its memberships,
    /// its own deletion, and unarchiving. Idempotent.
    ///
    /// Throws what `ProjectAccess` throws, `read_only_token`, `forbidden`, `rate_limited`.
    package func archive(_ isArchived: Bool, project id: String, by caller: Caller) async throws -> Item {
        let projects = registry.projects
        let claim = limits.claim(user: caller.userID)
        return try await change(id, in: projects, by: caller) { record, access, draft in
            try require(projects.roles.delete, to: "Archiving", in: projects, access: access, evenArchived: true)
            try claim.take([id])
            guard let field = projects.field("is_archived") else {
                throw Problem(.notFound, "Projects can't be archived here: their schema has no is_archived.")
            }
            try draft.set(field, of: RowKey(projects.name, id), to: .bool(isArchived))
        }
    }

    // MARK: Helpers

    /// A replayed answer shows the row. Throws `not_found` if the caller has
    /// lost sight of it since, even if the caller created it.
    private func requireSight(
        of key: RowKey, _ access: ProjectAccess, _ transaction: any ReadTransaction
    ) throws {
        guard let record = try transaction.record(key),
            try !access.sees(record, in: registry.collection(key.collection), registry, from: transaction)
        else { return }
        throw Problem(.notFound, "The row was created, but you can no longer see it.")
    }

    /// Memberships can change even in an archived project: archiving freezes its content, not who may see it.
    private func require(
        _ role: Role?, to verb: String, in collection: Collection, access: ProjectAccess, evenArchived: Bool = false
    ) throws {
        try access.requireWrite(
            role, to: "\(verb) \(collection.name)", evenArchived: evenArchived || collection.scope == .membership)
    }

    private func requireDelete(of record: StoredRow, in collection: Collection, access: ProjectAccess) throws {
        try require(
            access.leastRole(for: .delete, of: record, in: collection), to: "Deleting", in: collection, access: access,
            evenArchived: collection.scope == .project)
    }

    private func insert(
        _ fields: [String: JSON], judged: JudgedValues, into collection: Collection, access: ProjectAccess,
        in transaction: any WriteTransaction, at now: Instant
    ) throws -> Item {
        var fields = fields
        let sent = fields.removeValue(forKey: "id")
        let id = sent == nil ? newID() : sent?.string ?? ""
        let draft = Draft(transaction, registry: registry, access: access, now: now)
        try ItemWriter(collection, draft: draft, access: access, judged: judged, quotas: quotas).insert(id, fields)
        _ = try draft.commit()
        return Item(try draft.record(RowKey(collection.name, id))!, in: collection)
    }

    private func change(
        _ id: String, in collection: Collection, once name: String? = nil, request: JSON = .null, by caller: Caller,
        body: @escaping @Sendable (StoredRow, ProjectAccess, Draft) throws -> Void
    ) async throws -> Item {
        let key = RowKey(collection.name, id)
        let now = clock.now()
        return try await store.write(.row(key)) { transaction in
            let finder = ItemFinder(caller: caller, registry: registry, transaction: transaction)
            let (record, access) = try finder.find(key)
            let records = IdempotencyRecords(transaction: transaction, now: now, retention: retention)
            let once = name.map {
                WriteOnce(.create($0, project: record.project, userID: caller.userID), request: request, records)
            }
            if let replay = try once?.replay() { return replay }
            let draft = Draft(transaction, registry: registry, access: access, now: now)
            try body(record, access, draft)
            _ = try draft.commit()
            try draft.trimHistory(to: Allowance(bytes: bytes.history))
            let item = Item(try draft.record(key) ?? record, in: collection)
            try once?.keep(item)
            return item
        }
    }
}

/// One row as REST returns it.
package struct Item: Sendable, Equatable {
    /// The wire form.
    package let json: JSON
    /// Whether this is the stored answer to an earlier request with the same
    /// idempotency key. Then nothing was applied this time.
    package let isReplay: Bool

    package init(_ json: JSON, isReplay: Bool = false) {
        self.json = json
        self.isReplay = isReplay
    }

    init(_ record: StoredRow, in collection: Collection) { self.init(record.json(in: collection)) }

    package var id: String { json["id"]?.string ?? "" }
    package var version: ServerVersion { ServerVersion(json["server_version"]?.int ?? 0) }
}

/// The row versions that a change accepts (`If-Match`, RFC 9110 section 13.1.1).
package enum Precondition: Sendable, Equatable {
    /// Any version: the last writer wins.
    case none
    /// One of these `server_version`s.
    case versions(Set<Int64>)

    /// Throws `stale_version`, with the present row as `current`, if the row has another version.
    func require(_ record: StoredRow, in collection: Collection) throws {
        guard case .versions(let versions) = self, !versions.contains(record.version.rawValue) else { return }
        throw Problem(
            .staleVersion, "The row is now at version \(record.version). Merge with current, then send again.",
            members: ["current": record.json(in: collection)])
    }
}

/// What a delete would take along, by collection, the named row included.
package struct Deletion: Sendable, Equatable {
    /// How many rows.
    private var rows: [String: Int] = [:]
    /// How many of them the caller can't see.
    private var hidden: [String: Int] = [:]

    /// Of a draft in which the row and its cascade are deleted.
    init(_ draft: Draft, _ access: ProjectAccess) throws {
        for (key, entry) in draft.entries {
            guard entry.becameDeleted, let row = entry.original else { continue }
            rows[key.collection, default: 0] += 1
            let isSeen = try access.sees(
                row, in: draft.registry.collection(key.collection), draft.registry, from: draft.reads)
            if !isSeen { hidden[key.collection, default: 0] += 1 }
        }
    }

    /// Of a whole project, from the counters that every write keeps.
    init(of project: ProjectAccess, _ registry: Registry, _ transaction: any ReadTransaction) throws {
        let id = project.project.id
        var digests: [Audience: [String: CollectionDigest]] = [:]
        for (name, counts) in try transaction.counts(project: id) where counts.live > 0 {
            guard let collection = registry[name] else { continue }
            rows[name] = counts.live
            var seen = 0
            for audience in project.audiences(of: collection, registry) {
                let kept = try digests[audience] ?? transaction.digests(project: id, of: audience)
                digests[audience] = kept
                seen += kept[name]?.count ?? 0
            }
            if seen < counts.live { hidden[name] = counts.live - seen }
        }
    }

    /// `{"deletes": {"tasks": 3}, "hidden": {}}`.
    package var json: JSON {
        ["deletes": Deletion.json(rows), "hidden": Deletion.json(hidden)]
    }

    private static func json(_ counts: [String: Int]) -> JSON { .object(counts.mapValues { .int(Int64($0)) }) }
}

/// Finds single rows for callers.
struct ItemFinder {
    let caller: Caller
    let registry: Registry
    let transaction: any ReadTransaction

    /// The live row, and what the caller may do in its project.
    ///
    /// Throws `not_found` for everything that the caller may not see, with the same message as for a row that never
    /// existed. For a project itself, it throws what `ProjectAccess` throws, which says more.
    func find(_ key: RowKey) throws -> (record: StoredRow, access: ProjectAccess) {
        let collection = registry.collection(key.collection)
        if collection.scope == .project {
            let access = try ProjectAccess(caller, project: key.id, in: transaction)
            guard let record = try transaction.record(key) else { throw missing }
            return (record, access)
        }
        guard RowID.isValid(key.id) else { throw missing }
        let record = try transaction.record(key)
        // The same is read for a row that never was as for one that is hidden, so the time tells nothing either.
        let access = try access(to: record?.project ?? key.id)
        guard let record, !record.isDeleted, let access,
            try access.sees(record, in: collection, registry, from: transaction)
        else {
            throw missing
        }
        return (record, access)
    }

    private func access(to project: String) throws -> ProjectAccess? {
        try ProjectAccess.ifVisible(caller, project: project, in: transaction)
    }

    private var missing: Problem { Problem(.notFound, "There is no row with this id.") }
}
