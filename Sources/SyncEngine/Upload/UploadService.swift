import SyncProtocol
package import SyncSchema

/// What a batch was answered.
package struct UploadAnswer: Sendable, Equatable {
    /// The JSON document.
    package let body: String
    /// The stored answer of an earlier request with the same id and body; nothing was applied this time.
    package let isReplay: Bool
}

/// Applies batches of local changes: each exactly once, whole or not at all.
package struct UploadService<Store: SyncStore>: Sendable {
    private let store: Store
    private let registry: Registry
    private let clock: WallClock
    /// How long a batch id is remembered.
    private let retention: Duration
    private let limits: UploadLimits

    package init(
        store: Store, registry: Registry, clock: WallClock, retention: Duration, limits: UploadLimits
    ) {
        self.store = store
        self.registry = registry
        self.clock = clock
        self.retention = retention
        self.limits = limits
    }

    /// One write transaction: the rows, their commit number and the idempotency record commit together, so a retry finds
    /// either all of them or none. Batches run one after the other; a second one in flight under the same id waits and
    /// finds the first one's answer.
    ///
    /// Throws, in this order: `not_found`, `project_deleted`, `membership_revoked`, `not_a_member`, `batch_id_reused`,
    /// `since_ahead`, `read_only_token`, `forbidden`, `project_archived`, `rate_limited`, then what is wrong with the
    /// rows. An upload counts against the limits from there on, whatever becomes of it.
    package func upload(_ request: UploadRequest, by caller: Caller) async throws -> UploadAnswer {
        try await store.write { transaction in
            let access = try ProjectAccess(caller, project: request.project, in: transaction)
            if let replay = try replay(request, caller, transaction) { return replay }
            try access.requireServable(request.lastPulledAt ?? .zero)
            try requireRoles(request, access)
            try limits.take(project: request.project, user: caller.userID)
            return try apply(request, access, transaction)
        }
    }

    private func replay(
        _ request: UploadRequest, _ caller: Caller, _ transaction: any WriteTransaction
    ) throws -> UploadAnswer? {
        let oldest = clock.now().advanced(by: .zero - retention)
        let stored = try transaction.batch(project: request.project, user: caller.userID, batchID: request.batchID)
        guard let stored, stored.storedAt >= oldest else { return nil }
        guard stored.bodyHash == request.bodyHash else {
            throw Problem(
                .batchIDReused, "This client_batch_id came with another body. Send the new one under a new id.")
        }
        return UploadAnswer(body: stored.response, isReplay: true)
    }

    private func requireRoles(_ request: UploadRequest, _ access: ProjectAccess) throws {
        try access.requireWrite(.member, to: "Uploading")
        for row in request.rows {
            let roles = registry[row.key.collection]!.roles
            let needed =
                switch row.bucket {
                case .created: roles.create
                case .updated: roles.update
                case .deleted: roles.delete
                }
            try access.requireWrite(needed, to: "This change of \(row.key.collection)")
        }
    }

    private func apply(
        _ request: UploadRequest, _ access: ProjectAccess, _ transaction: any WriteTransaction
    ) throws -> UploadAnswer {
        let now = clock.now()
        let draft = Draft(transaction, registry, project: request.project, author: access.caller.userID, now: now)
        var session = UploadSession(request, access, draft)
        try session.apply()
        let seq = try draft.commit()
        let body = try session.report.json(request, timestamp: seq ?? access.project.head) {
            try draft.record($0)?.version
        }
        try transaction.forgetBatches(before: now.advanced(by: .zero - retention))
        try transaction.storeBatch(
            StoredBatch(
                project: request.project, userID: access.caller.userID, batchID: request.batchID,
                bodyHash: request.bodyHash, response: body.text, storedAt: now))
        return UploadAnswer(body: body.text, isReplay: false)
    }
}
