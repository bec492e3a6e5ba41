package import NIOCore
package import SyncAccounts
package import SyncProtocol
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
        self.packer = packer
        self.clock = clock
        self.users = users
        cache = cacheBytes > 0 ? PageCache(bytes: cacheBytes) : nil
        let secret = try await store.read(.installation) { try $0.secret(Installation.cursorSecret) }
        guard let secret else { throw Problem(.internalError, "The database has no cursor secret.") }
        cursors = CursorCodec(secret: secret)
    }

    /// How well the page cache works; all zero if there is none.
    package var cacheMetrics: PageCacheMetrics { cache?.metrics ?? PageCacheMetrics() }

    /// The digests of the rows that the caller sees now, and the head that they are of. They are nil for a part of too
    /// many rows. Only the request's `project`, `collections` and `part` matter.
    ///
    /// Throws `not_found`, `project_deleted`, `membership_revoked`, `not_a_member`.
    package func digests(
        _ request: PullRequest, for caller: Caller
    ) async throws -> (head: SyncSeq, digests: VisibleDigests?) {
        try await store.read(.project(request.project)) { transaction in
            let access = try ProjectAccess(caller, project: request.project, in: transaction)
            let digests = try VisibleDigests(ofPartOf: request, access: access, registry: registry, in: transaction)
            return (access.project.head, digests)
        }
    }

    /// The requested page, as the caller may see it in this transaction. Throws what `page` throws.
    func plan(_ request: PullRequest, caller: Caller, in transaction: any ReadTransaction) throws -> PagePlan {
        let view = try CallerView(caller, project: request.project, registry, in: transaction)
        return try PagePlan(request, view: view, registry: registry, cursors: cursors)
    }

    /// The member `digest` at the end of the plan's drain, as JSON text.
    func digest(_ plan: PagePlan, _ transaction: any ReadTransaction) throws -> String {
        guard plan.request.part?.wantsDigest ?? true else { return "null" }
        return try VisibleDigests.member(
            ofDrainAt: plan.start.timestamp, for: plan.request, access: plan.view.access, registry: registry,
            in: transaction)
    }

    /// The `total` of `progress`; nil if unknown. Only drains from 0 and empty drains know it without a scan.
    func total(_ plan: PagePlan, _ transaction: any ReadTransaction) throws -> Int? {
        if plan.drain.isFiltered { return nil }
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

extension PullService {
    /// One page. If it has to be read, the page and everything that it depends on are read in one transaction. A cached
    /// page needs only an inline read: its key contains everything the page depends on.
    ///
    /// If `packed`, the page may come as gzip. Throws `not_found`, `project_deleted`, `membership_revoked`,
    /// `not_a_member`, `invalid_cursor`, `since_ahead`, `since_expired`.
    package func page(_ request: PullRequest, for caller: Caller, packed: Bool = false) async throws -> PageResponse {
        let packed = packed && packer != nil
        let mark = try await store.mark(of: .project(request.project))
        if let page = try await emptyPage(request, for: caller, packed: packed, at: mark) { return page }
        var known: CommitMark? = mark
        let (plan, page) = try await served(isPacked: packed) {
            let mark = if let known { known } else { try await store.mark(of: .project(request.project)) }
            known = nil
            return try PagePlan(
                request, view: try await view(of: request.project, caller, at: mark), registry: registry,
                cursors: cursors)
        } read: {
            try await read(request, caller)
        }
        return try finished(page, plan)
    }

    private func read(_ request: PullRequest, _ caller: Caller) async throws -> (PagePlan, SharedPage) {
        try await store.read(.project(request.project)) { transaction in
            let plan = try plan(request, caller: caller, in: transaction)
            return (plan, try page(plan, transaction))
        }
    }

    /// Reads a page of one project.
    func page(_ plan: PagePlan, _ transaction: any ReadTransaction) throws -> SharedPage {
        let plan = try plan.choosing(registry, in: transaction)
        var drain = PageAssembler(plan)
        try drain.run(transaction)
        return try drained(drain, plan: plan, in: transaction)
    }

    private func drained(
        _ drain: consuming PageAssembler, plan: PagePlan, in transaction: any ReadTransaction
    ) throws -> SharedPage {
        try drain.finish(total: plan.isFirst ? total(plan, transaction) : nil) { try digest(plan, transaction) }
    }

    private func finished(_ page: SharedPage, _ plan: PagePlan) throws -> PageResponse {
        let trailer = try plan.finished(page, cursors)
        let content = PageResponse.Content(isEmpty: trailer.rows == 0, next: trailer.nextCursor)
        var response = response(
            page, tail: trailer.bytes, head: plan.view.access.project.head.rawValue, content: content)
        if trailer.nextCursor == nil { response.reached = trailer.timestamp.rawValue }
        return response
    }

    /// A page with its reader's end.
    func response(
        _ page: SharedPage, tail: ByteBuffer, head: Int64, content: PageResponse.Content
    ) -> PageResponse {
        guard let packer, let start = page.packed else {
            return PageResponse(parts: [page.changes, tail], isPacked: false, head: head, content: content)
        }
        return PageResponse(
            parts: [start.bytes, packer.end(of: start, tail)], isPacked: true, head: head, content: content)
    }

    // MARK: Kept until the next commit

    /// What the caller may see.
    private func view(of project: String, _ caller: Caller, at mark: CommitMark) async throws -> CallerView {
        let key = CallerViewKey(project: project, caller: caller)
        return try await views.value(of: key, at: mark, in: store, .project(project)) {
            try CallerView(caller, project: project, registry, in: $0)
        }!
    }

    /// The page of a drain that starts at the head and so carries no rows; nil for any other drain. It is made without
    /// a scan. Until the next commit, the same request reads no table at all. Throws what `page` throws.
    package func emptyPage(_ request: PullRequest, for caller: Caller, packed: Bool) async throws -> PageResponse? {
        let mark = try await store.mark(of: .project(request.project))
        return try await emptyPage(request, for: caller, packed: packed, at: mark)
    }

    private func emptyPage(
        _ request: PullRequest, for caller: Caller, packed: Bool, at mark: CommitMark
    ) async throws -> PageResponse? {
        guard request.cursor == nil, request.since > .zero, !request.isRoll else { return nil }
        let question = EmptyPageKey(request: request, caller: caller, isPacked: packed)
        if let page = emptyPages.value(of: question, at: mark) { return page }
        let head = try await view(of: request.project, caller, at: mark).access.project.head
        guard head == request.since else { return nil }
        return try await emptyPages.value(of: question, at: mark, in: store, .project(request.project)) {
            try emptyPage(question, $0)
        }
    }

    private func emptyPage(_ question: EmptyPageKey, _ transaction: any ReadTransaction) throws -> PageResponse? {
        let plan = try plan(question.request, caller: question.caller, in: transaction)
        guard plan.isEmpty else { return nil }
        var drain = PageAssembler(plan)
        drain.pass()
        let page = try finished(try drained(drain, plan: plan, in: transaction), plan)
        return whole(page, isPacked: question.isPacked)
    }

    /// The page in one part, compressed if that is asked for and there is memory for it.
    func whole(_ page: PageResponse, isPacked: Bool) -> PageResponse {
        guard isPacked, let packer, let start = packer.start(page.body) else { return page.joined }
        let end = packer.end(of: start, ByteBuffer())
        return page.with([start.bytes, end], isPacked: true).joined
    }
}

extension PageResponse.Content {
    /// `next` is the cursor of the next page.
    init(isEmpty: Bool, next: String?) {
        self = isEmpty ? next.map { .nothingYet(cursor: $0) } ?? .nothing : .something
    }
}

extension PullService {
    /// How many times to try for a shared page before the caller reads its
    /// own. A try fails if the page no longer fits its key.
    private static var attempts: Int { 3 }

    /// A page from the cache, from a reader who is reading it just now, or read by `read` in one transaction.
    /// `makePlan` is called before each look at the cache.
    func served<Plan: CacheablePlan>(
        isPacked: Bool, plan makePlan: () async throws -> Plan, read: () async throws -> (Plan, SharedPage)
    ) async throws -> (Plan, SharedPage) {
        for _ in 0..<Self.attempts {
            let plan = try await makePlan()
            guard let cache, let shared = plan.shared else { break }
            let key = PageKey(shared, isPacked: isPacked)
            switch cache.answer(to: key) {
            case .kept(let page): return (plan, page)
            case .missing(let flight): return try await share(key, flight: flight, cache: cache, read: read)
            case .awaited(let flight):
                switch await flight.landing() {
                case .shared(let page): return (plan, page)
                case .private: return try await read()
                case .lost: break
                }
            }
        }
        return try await read()
    }

    /// Reads a page, and shares it with everybody who waits for it if it can be shared.
    private func share<Plan: CacheablePlan>(
        _ key: PageKey, flight: PageFlight, cache: PageCache, read: () async throws -> (Plan, SharedPage)
    ) async throws -> (Plan, SharedPage) {
        var landing = PageLanding.lost
        defer { cache.land(flight, of: key, with: landing) }
        var (plan, page) = try await read()
        // What the caller may see may have changed since the key was made.
        guard let shared = plan.shared, PageKey(shared, isPacked: key.isPacked) == key else { return (plan, page) }
        landing = .private
        guard page.isShareable else { return (plan, page) }
        if key.isPacked, let packer { page.pack(by: packer) } else { page.trim() }
        landing = .shared(page)
        return (plan, page)
    }
}

/// A page, ready to send.
package struct PageResponse: Sendable {
    /// The parts of the body, in order.
    package let parts: [ByteBuffer]
    /// Whether the body is compressed with gzip.
    package let isPacked: Bool
    /// The project's head when the page was read; of a user-wide page, the watermark of the newest commit.
    package let head: Int64
    package var content = Content.something
    /// The drain's `timestamp` if the drain ends with this page.
    package var reached: Int64?

    /// What a drain has for its reader, as far as its pages up to this one tell.
    package enum Content: Sendable, Equatable {
        case something
        /// The drain is done, and had no row and nothing to tell of projects.
        case nothing
        /// This page has nothing, and the page at the cursor may have something.
        case nothingYet(cursor: String)
    }

    /// The same page in one part.
    var joined: PageResponse { with([body], isPacked: isPacked) }

    /// The same page in other bytes.
    func with(_ parts: [ByteBuffer], isPacked: Bool) -> PageResponse {
        PageResponse(parts: parts, isPacked: isPacked, head: head, content: content, reached: reached)
    }

    /// The body in one piece.
    package var body: ByteBuffer {
        parts.dropFirst().reduce(into: parts.first ?? ByteBuffer()) { $0.writeImmutableBuffer($1) }
    }
}

/// Identifies what a caller may see of a project.
struct CallerViewKey: Hashable, Sendable {
    let project: String
    let caller: Caller
}

/// A request whose answer stays the same until the next commit.
struct EmptyPageKey: Hashable, Sendable {
    let request: PullRequest
    let caller: Caller
    let isPacked: Bool
}

/// The digests of the rows that a caller sees, one per collection, at one head.
///
/// They are read from the digests that the draft keeps for each `Audience`.
/// This takes two or three short index ranges and no scan.
package struct VisibleDigests: Sendable, Equatable {
    /// The project's head that the digests describe.
    package let head: SyncSeq
    /// One for each requested collection.
    package let collections: [String: CollectionDigest]

    /// Reads the digests in `transaction`, which must be the one that `access` was read in.
    init(
        of request: PullRequest, access: ProjectAccess, registry: Registry, in transaction: any ReadTransaction
    ) throws {
        var kept: [Audience: [String: CollectionDigest]] = [:]
        var collections: [String: CollectionDigest] = [:]
        for collection in request.form.collections(of: registry) {
            var digest = CollectionDigest.empty
            for audience in access.audiences(of: collection, registry) {
                let stored = try kept[audience] ?? transaction.digests(project: request.project, of: audience)
                kept[audience] = stored
                digest += stored[collection.name] ?? .empty
            }
            collections[collection.name] = digest
        }
        self.collections = collections
        head = access.project.head
    }

    /// `{"tasks": {"count": 3, "digest": "16 hex digits"}, …}`.
    package var json: JSON { .object(collections.mapValues(\.json)) }

    /// The member `digest`, as JSON text, at the end of a drain that pinned `timestamp`. It is null if something was
    /// written since: the digests would describe other rows than the drain served.
    static func member(
        ofDrainAt timestamp: SyncSeq, for request: PullRequest, access: ProjectAccess, registry: Registry,
        in transaction: any ReadTransaction
    ) throws -> String {
        guard timestamp == access.project.head else { return "null" }
        let digests = try VisibleDigests(ofPartOf: request, access: access, registry: registry, in: transaction)
        return digests?.json.text ?? "null"
    }
}

extension VisibleDigests {
    /// The most rows that the digest of a part looks at.
    private static let mostRows = 20_000

    /// The digests of the part that the request asks for. Nil if that would take a look at too many rows.
    init?(
        ofPartOf request: PullRequest, access: ProjectAccess, registry: Registry, in transaction: any ReadTransaction
    ) throws {
        let whole = try VisibleDigests(of: request, access: access, registry: registry, in: transaction)
        guard let part = request.part else {
            self = whole
            return
        }
        var form = PullForm(collections: request.form.collections)
        form.part = part.alone
        var drain = PullRequest(project: request.project, since: .zero, form: form)
        try drain.choose(access: access, registry: registry, in: transaction)
        let plan = DrainPlan(drain, access: access, registry: registry)
        var collections = whole.collections
        var rowsLeft = VisibleDigests.mostRows
        for segments in plan.collections where segments[0].part != nil {
            var digest = CollectionDigest.empty
            for segment in segments {
                var scan = plan.scan(segment, project: request.project, from: .after(.zero), upTo: access.project.head)
                scan.examineLimit = rowsLeft
                guard let more = try transaction.digest(of: scan) else { return nil }
                digest += more
                rowsLeft -= more.count
            }
            collections[segments[0].collection.name] = digest
        }
        self.init(head: whole.head, collections: collections)
    }

    private init(head: SyncSeq, collections: [String: CollectionDigest]) {
        self.head = head
        self.collections = collections
    }
}
