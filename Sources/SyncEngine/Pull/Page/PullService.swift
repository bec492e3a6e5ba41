package import SyncAccounts
import SyncProtocol
package import SyncSchema
package import SyncStore

/// Serves drains.
///
/// A drain from `since` carries exactly the rows whose effective number n lies in `since < n <= timestamp`, each once.
/// `timestamp` is the head that page 1 pins and the cursor carries. A row written during the drain has a higher number,
/// and comes with the next drain. The number is drawn in the transaction that writes the row. Commit order is therefore
/// number order, and nothing can appear below a watermark that was handed out.
package struct PullService<Store: SyncStore>: Sendable {
    let store: Store
    let registry: Registry
    let limits: StreamSettings
    let cursors: CursorCodec
    let packer: (any PagePacker)?
    /// Nil if no pages are kept.
    let cache: PageCache?
    let views = CommitScopedCache<CallerViewKey, CallerView>()
    /// Each takes a few kilobytes, because it has no rows.
    let emptyPages = CommitScopedCache<EmptyPageKey, PageResponse>(limit: 2000)
    let userEmptyPages = CommitScopedCache<UserEmptyPageKey, PageResponse>(limit: 2000)
    let users: UserProjectsCache
    let clock: WallClock

    /// Reads the cursor secret, which `Installation.prepare` has made. Keeps at most `cacheBytes` bytes of pages in
    /// total. Without a packer, no page is compressed.
    package init(
        store: Store, registry: Registry, limits: StreamSettings = StreamSettings(), cacheBytes: Int = 128 << 20,
        packer: (any PagePacker)? = nil, clock: WallClock = .system,
        users: UserProjectsCache = UserProjectsCache()
    ) async throws {
        self.store = store
        self.registry = registry
        self.limits = limits
        (self.packer, self.clock, self.users) = (packer, clock, users)
        cache = cacheBytes > 0 ? PageCache(bytes: cacheBytes) : nil
        let secret = try await store.read(.installation) { try $0.secret(Installation.cursorSecret) }
        guard let secret else { throw Problem(.internalError, "The database has no cursor secret.") }
        cursors = CursorCodec(secret: secret)
    }

    /// How well the page cache works; all zero if there is none.
    package var cacheMetrics: PageCacheMetrics { cache?.metrics ?? PageCacheMetrics() }

    /// The digests of the rows that the caller sees now. Only the request's `project` and `collections` matter.
    ///
    /// Throws `not_found`, `project_deleted`, `membership_revoked`, `not_a_member`.
    package func digests(_ request: PullRequest, for caller: Caller) async throws -> VisibleDigests {
        try await store.read(.project(request.project)) { transaction in
            let access = try ProjectAccess(caller, project: request.project, in: transaction)
            return try VisibleDigests(of: request, access, registry, transaction)
        }
    }

    /// The requested page, as the caller may see it in this transaction. Throws what `page` throws.
    func plan(_ request: PullRequest, _ caller: Caller, _ transaction: any ReadTransaction) throws -> PagePlan {
        let view = try CallerView(caller, project: request.project, registry, in: transaction)
        return try PagePlan(request, view, registry, cursors)
    }

    /// The member `digest` at the end of the plan's drain, as JSON text.
    func digest(_ plan: PagePlan, _ transaction: any ReadTransaction) throws -> String {
        try VisibleDigests.member(
            ofDrainAt: plan.start.timestamp, plan.request, plan.view.access, registry, transaction)
    }

    /// The `total` of `progress`; nil if unknown. Only drains from 0 and empty drains know it without a scan.
    func total(_ plan: PagePlan, _ transaction: any ReadTransaction) throws -> Int? {
        if plan.isEmpty { return 0 }
        guard plan.request.since == .zero else { return nil }
        let counts = try transaction.counts(project: plan.request.project)
        return plan.drain.segments.filter { $0.rows == .all }
            .reduce(0) { sum, segment in
                let count = counts[segment.collection.name] ?? RowCounts(live: 0, tombstones: 0)
                return sum + count.live + (segment.isLiveOnly ? 0 : count.tombstones)
            }
    }
}
