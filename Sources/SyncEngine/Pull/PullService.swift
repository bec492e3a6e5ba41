import NIOCore
import SyncProtocol
package import SyncSchema

/// Serves drains.
///
/// A drain from `since` carries exactly the rows whose effective number lies in `since < n <= timestamp`, each once:
/// `timestamp` is the head that page 1 pins and the cursor carries, so a row written during the drain has a higher number
/// and comes with the next one. The number is drawn in the transaction that writes the row, so that commit order is
/// number order and nothing can appear below a watermark that was handed out.
package struct PullService<Store: SyncStore>: Sendable {
    let store: Store
    let registry: Registry
    let limits: StreamLimits
    private let cursors: CursorCodec

    /// Reads the cursor secret; `Installation.prepare` has made it.
    package init(store: Store, registry: Registry, limits: StreamLimits = StreamLimits()) async throws {
        self.store = store
        self.registry = registry
        self.limits = limits
        let secret = try await store.read { try $0.secret(Installation.cursorSecret) }
        guard let secret else { throw Problem(.internalError, "The database has no cursor secret.") }
        cursors = CursorCodec(secret: secret)
    }

    /// One page, read in one transaction together with everything that it depends on.
    ///
    /// Throws `not_found`, `project_deleted`, `membership_revoked`, `not_a_member`, `invalid_cursor`, `since_ahead`,
    /// `since_expired`.
    package func page(_ request: PullRequest, for caller: Caller) async throws -> PullPage {
        try await store.read { try page(request, caller, $0) }
    }

    private func page(
        _ request: PullRequest, _ caller: Caller, _ transaction: any ReadTransaction
    ) throws -> PullPage {
        let access = try ProjectAccess(caller, project: request.project, in: transaction)
        let binding = request.binding(access, schema: registry.version)
        let cursor = try request.cursor.map { try cursors.decode($0, boundTo: binding) }
        try requireServable(cursor, access)
        try access.requireServable(request.since)
        let plan = DrainPlan(request, access, registry)
        let start = try cursor ?? firstPage(request, access, plan, transaction)
        var drain = PageDrain(plan: plan, project: request.project, pageSize: request.pageSize, at: start)
        try drain.run(transaction)
        let next = try drain.next.map { try cursors.encode($0, boundTo: binding) }
        var digest: JSON?
        if next == nil {
            digest = try VisibleDigests.member(ofDrainAt: start.timestamp, request, access, registry, transaction)
        }
        return PullPage(body: drain.body(nextCursor: next, digest: digest), head: access.project.head)
    }

    /// What the rows that the caller sees come to now. Of the request project and `collections` count.
    ///
    /// Throws `not_found`, `project_deleted`, `membership_revoked`, `not_a_member`.
    package func digests(_ request: PullRequest, for caller: Caller) async throws -> VisibleDigests {
        try await store.read { transaction in
            let access = try ProjectAccess(caller, project: request.project, in: transaction)
            return try VisibleDigests(of: request, access, registry, transaction)
        }
    }

    /// A drain from 0 has no watermark to tell its history by, so that its cursor must.
    private func requireServable(_ cursor: Cursor?, _ access: ProjectAccess) throws {
        guard let cursor, cursor.timestamp > access.project.head || cursor.timestamp < access.project.floor else {
            return
        }
        throw Problem(.invalidCursor, "This cursor is from before a restore of the server. Restart from page 1.")
    }

    func firstPage(
        _ request: PullRequest, _ access: ProjectAccess, _ plan: DrainPlan, _ transaction: any ReadTransaction
    ) throws -> Cursor {
        let head = access.project.head
        return Cursor(
            timestamp: head, segment: 0, position: .after(plan.segments.first?.lower ?? request.since), rows: 0,
            total: try total(request, head, plan, transaction))
    }

    /// What `progress` promises: known where everything is asked for or nothing changed, else a scan's price.
    private func total(
        _ request: PullRequest, _ head: SyncSeq, _ plan: DrainPlan, _ transaction: any ReadTransaction
    ) throws -> Int? {
        if request.since == head, request.migration == nil { return 0 }
        guard request.since == .zero else { return nil }
        let counts = try transaction.counts(project: request.project)
        return plan.segments.filter { $0.rows == .all }
            .reduce(0) { sum, segment in
                let count = counts[segment.collection.name] ?? RowCounts(live: 0, tombstones: 0)
                return sum + count.live + (segment.isLiveOnly ? 0 : count.tombstones)
            }
    }
}
