package import SyncAccounts
import SyncProtocol
package import SyncSchema
package import SyncStore

/// Serves drains.
///
/// A drain from `since` carries exactly the rows whose effective number lies in `since < n <= timestamp`, each once:
/// `timestamp` is the head that page 1 pins and the cursor carries, so a row written during the drain has a higher number
/// and comes with the next one. The number is drawn in the transaction that writes the row, so that commit order is
/// number order and nothing can appear below a watermark that was handed out.
package struct PullService<Store: SyncStore>: Sendable {
    let store: Store
    let registry: Registry
    let limits: StreamSettings
    let cursors: CursorCodec
    let packer: (any PagePacker)?
    /// Nil: no page is kept.
    let cache: PageCache?
    let views = CommitScopedCache<CallerViewKey, CallerView>()
    /// Of a few kilobytes each, as there is nothing in them.
    let emptyPages = CommitScopedCache<EmptyPageKey, PageResponse>(limit: 2000)

    /// Reads the cursor secret; `Installation.prepare` has made it. Keeps pages of at most `cacheBytes` bytes in all;
    /// without a packer none is compressed.
    package init(
        store: Store, registry: Registry, limits: StreamSettings = StreamSettings(), cacheBytes: Int = 128 << 20,
        packer: (any PagePacker)? = nil
    ) async throws {
        self.store = store
        self.registry = registry
        self.limits = limits
        self.packer = packer
        cache = cacheBytes > 0 ? PageCache(bytes: cacheBytes) : nil
        let secret = try await store.read(.installation) { try $0.secret(Installation.cursorSecret) }
        guard let secret else { throw Problem(.internalError, "The database has no cursor secret.") }
        cursors = CursorCodec(secret: secret)
    }

    /// How the cache of pages does; all zero where there is none.
    package var cacheMetrics: PageCacheMetrics { cache?.metrics ?? PageCacheMetrics() }

    /// What the rows that the caller sees come to now. Of the request project and `collections` count.
    ///
    /// Throws `not_found`, `project_deleted`, `membership_revoked`, `not_a_member`.
    package func digests(_ request: PullRequest, for caller: Caller) async throws -> VisibleDigests {
        try await store.read(.project(request.project)) { transaction in
            let access = try ProjectAccess(caller, project: request.project, in: transaction)
            return try VisibleDigests(of: request, access, registry, transaction)
        }
    }

    /// The page asked for, as the caller may see it in this transaction. Throws what `page` throws.
    func plan(_ request: PullRequest, _ caller: Caller, _ transaction: any ReadTransaction) throws -> PagePlan {
        let view = try CallerView(caller, project: request.project, registry, in: transaction)
        return try PagePlan(request, view, registry, cursors)
    }

    /// The member of that name at the end of the plan's drain.
    func digest(_ plan: PagePlan, _ transaction: any ReadTransaction) throws -> String {
        try VisibleDigests.member(
            ofDrainAt: plan.start.timestamp, plan.request, plan.view.access, registry, transaction)
    }

    /// What `progress` promises: known where everything is asked for or nothing changed, else a scan's price.
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
