package import SyncAccounts
import SyncProtocol
package import SyncSchema
package import SyncStore

/// Applies batches of local changes: each exactly once, whole or not at all.
package struct UploadService<Store: SyncStore>: Sendable {
    private let store: Store
    private let registry: Registry
    private let clock: WallClock
    private let retention: UploadRetention
    private let limits: UploadLimits
    private let users: UserProjectsCache
    private let quotas: Quotas
    private let newID: NewID

    package init(
        store: Store, registry: Registry, clock: WallClock, retention: UploadRetention,
        limits: UploadLimits, quotas: Quotas = Quotas(), users: UserProjectsCache = UserProjectsCache(),
        newID: NewID = .uuid
    ) {
        self.store = store
        self.registry = registry
        self.clock = clock
        self.retention = retention
        self.limits = limits
        self.users = users
        self.quotas = quotas
        self.newID = newID
    }

    /// One write transaction: the rows, their commit number and the idempotency record commit together, so a retry
    /// finds all of them or none. Batches run one after the other. A second request with the same id waits and finds
    /// the first one's answer. A batch without an id has no record.
    ///
    /// Throws, in this order: `not_found`, `project_deleted`, `membership_revoked`, `not_a_member`, `batch_id_reused`,
    /// `since_ahead`, `since_expired`, `read_only_token`, `project_archived`, `rate_limited`, then the
    /// errors of the rows. Once past `rate_limited`, the upload counts against the limits, whatever happens to it.
    package func upload(_ request: UploadRequest, by caller: Caller) async throws -> UploadAnswer {
        let claim = limits.claim(user: caller.userID)
        let request = await request.judged(registry)
        return try await write(.project(request.project), needsOf: request) { transaction in
            let access = try ProjectAccess(caller, project: request.project, in: transaction)
            let records = records(transaction)
            let key = request.batchID.map {
                IdempotencyKey.batch($0, project: request.project, userID: caller.userID)
            }
            let replay = try replay(request, key: key, records: records, in: transaction) {
                $0 == request.project ? access : nil
            }
            if let replay { return replay }
            try access.requireServable(request.lastPulledAt ?? .zero)
            try access.requireWrite(nil, to: "Uploading")
            try claim.take([request.project])
            let answer = try apply(request, access: access, claim: claim, in: transaction)
            if let key { try records.keep(answer.body, to: key, bodyHash: request.bodyHash) }
            return answer
        }
    }

    /// A batch with rows of several projects, in one write transaction. Each project's rows are judged as if they came
    /// alone. Rows of a project that can't be written to are refused, or left out, and nothing is written there.
    ///
    /// Throws, in this order: `batch_id_reused`, `since_ahead`, `since_expired`, `read_only_token`, `rate_limited`,
    /// then the errors of the rows.
    package func uploadAll(_ request: UploadRequest, by caller: Caller) async throws -> UploadAnswer {
        let claim = limits.claim(user: caller.userID)
        let request = await request.judged(registry)
        return try await write(.installation, needsOf: request) { transaction in
            let records = records(transaction)
            let key = request.batchID.map { IdempotencyKey.batch($0, project: "", userID: caller.userID) }
            let replay = try replay(request, key: key, records: records, in: transaction) { project in
                try ProjectAccess.ifVisible(caller, project: project, in: transaction)
            }
            if let replay { return replay }
            let projects = try users.projectsOfWrite(of: caller.userID, in: transaction)
            var batch = try UserBatch(
                request, for: caller, projects: projects, in: transaction, registry: registry, now: clock.now(),
                newID: newID)
            try caller.requireWrite()
            try claim.take(batch.projects)
            let answer = try batch.apply(
                claim, inbox(transaction), history: Allowance(bytes: retention.bytes.history), quotas: quotas)
            if let key { try records.keep(answer.body, to: key, bodyHash: request.bodyHash) }
            return answer
        }
    }

    /// Runs the write. A refusal lists no more mistakes than an answer may have.
    private func write(
        _ scope: StoreScope, needsOf request: UploadRequest,
        _ body: @escaping @Sendable (any WriteTransaction) throws -> UploadAnswer
    ) async throws -> UploadAnswer {
        do {
            return try await store.write(scope, priority: .ordinary, needing: { request.needs(registry) }, body)
        } catch let problem as Problem {
            throw problem.shortened
        }
    }

    private func replay(
        _ request: UploadRequest, key: IdempotencyKey?, records: IdempotencyRecords,
        in transaction: any ReadTransaction, access: @escaping (String) throws -> ProjectAccess?
    ) throws -> UploadAnswer? {
        guard let key else { return nil }
        let reuse = Problem(
            .batchIDReused, "This client_batch_id was used with another body. Send this body with a new id.")
        let replayed = ReplayedAnswer(access: access, registry: registry, transaction: transaction)
        return try records.answer(to: key, bodyHash: request.bodyHash, reuse: reuse)
            .map { UploadAnswer(body: try replayed.text($0), isReplay: true) }
    }

    private func records(_ transaction: any WriteTransaction) -> IdempotencyRecords {
        IdempotencyRecords(
            transaction: transaction, now: clock.now(), retention: retention.batches,
            allowance: Allowance(bytes: retention.bytes.answers))
    }

    private func inbox(_ transaction: any WriteTransaction) -> InboxWriter {
        InboxWriter(transaction: transaction, now: clock.now(), bytes: retention.bytes.inbox)
    }

    private func apply(
        _ request: UploadRequest, access: ProjectAccess, claim: UploadLimits.Claim,
        in transaction: any WriteTransaction
    ) throws -> UploadAnswer {
        var runner = try BatchRunner(
            request, access: access, in: transaction, registry: registry, now: clock.now(), quotas: quotas)
        let (draft, report) = try runner.apply()
        try claim.takeRedeliveries(draft.redeliveries)
        let timestamp = JSON.int(try runner.commit(draft, report: report, inbox: inbox(transaction)).rawValue)
        try draft.trimHistory(to: Allowance(bytes: retention.bytes.history))
        let json = try report.json(request, ["timestamp": timestamp]) { try draft.record($0)?.version }
        return UploadAnswer(body: json.text, isReplay: false, counts: report.counts(request))
    }
}

/// The answer to a batch.
package struct UploadAnswer: Sendable, Equatable {
    /// The JSON document.
    package let body: String
    /// Whether this is the stored answer to an earlier request with the
    /// same id and body. Then nothing was applied this time.
    package let isReplay: Bool
    /// All zero for a replay.
    package var counts = UploadCounts()
    /// The projects of a batch over several projects whose rows were judged. Empty for a replay.
    package var projects: [String] = []
}

/// How long the server keeps what uploads leave besides rows, and how much of it.
package struct UploadRetention: Sendable {
    /// Batch ids, with their answers.
    package let batches: Duration
    /// The change history.
    package let history: Duration
    /// Edits that their authors lost.
    package let inbox: Duration
    /// The most bytes of a user in one project.
    package var bytes = Bytes()

    /// The newest stay.
    package struct Bytes: Sendable {
        package var inbox = 16 << 20
        package var history = 64 << 20
        package var answers = 64 << 20

        package init() {}
    }

    package init(batches: Duration, history: Duration, inbox: Duration, bytes: Bytes = Bytes()) {
        self.batches = batches
        self.history = history
        self.inbox = inbox
        self.bytes = bytes
    }
}

/// How much a user may have of something in one project.
///
/// To count it takes longer than to write, so it is not counted at each write, but about as often as a quarter of what
/// is allowed was added. So a user may have about a quarter more for a while.
struct Allowance {
    let bytes: Int

    /// Whether to count now that so many bytes are added.
    func isDue(adding added: Int) -> Bool { added > 0 && added >= Int.random(in: 0..<max(1, bytes / 4)) }
}

/// Shows a stored answer to its sender again, without the values of rows that the sender can't see any more.
struct ReplayedAnswer {
    /// The access to the project of each row of the answer; nil for a project that the caller has no access to.
    let access: (String) throws -> ProjectAccess?
    let registry: Registry
    let transaction: any ReadTransaction

    /// The stored text, byte for byte, unless it shows such a row.
    func text(_ stored: String) throws -> String {
        // Nearly all answers. Parsing them would take longer than the rest of a replay.
        guard stored.contains("\"server_values\":") || stored.contains("\"existing\":") else { return stored }
        let answer = try JSON(parsing: stored)
        let shown =
            try answer
            .mappingRows(of: "conflicts") { try sees($0["id"], $1) ? $0 : $0.setting("server_values", to: [:]) }
            .mappingRows(of: "rejected") { try sees($0["existing"], $1) ? $0 : $0.setting("existing", to: .null) }
        return shown == answer ? stored : shown.text
    }

    private func sees(_ id: JSON?, _ name: String) throws -> Bool {
        guard let id = id?.string else { return true }
        guard let collection = registry[name] else { return false }
        // Nobody knows any more who could see a row that was purged.
        guard let record = try transaction.record(RowKey(name, id)) else { return collection.visibility == .everyone }
        return try access(record.project)?.finds(record, in: collection, registry, from: transaction) ?? false
    }
}

extension JSON {
    /// An upload's answer with other elements in one of its lists. `change` gets an element and its collection's name.
    fileprivate func mappingRows(of list: String, _ change: (JSON, String) throws -> JSON) rethrows -> JSON {
        guard let lists = self[list]?.object else { return self }
        let changed = try lists.map { name, rows in
            (name, JSON.array(try (rows.array ?? []).map { try change($0, name) }))
        }
        return setting(list, to: .object(Dictionary(uniqueKeysWithValues: changed)))
    }
}
