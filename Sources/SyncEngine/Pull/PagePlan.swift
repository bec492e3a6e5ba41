import NIOCore
import SyncProtocol
import SyncSchema
import SyncStore

/// A page about to be read: of which drain, for whom, and from where. It depends only on the
/// request, and on what the caller may see at one moment.
struct PagePlan: CacheablePlan {
    private(set) var request: PullRequest
    let view: CallerView
    /// Where the page begins.
    private(set) var start: Cursor
    private(set) var drain: DrainPlan
    private let binding: String

    /// Throws `invalid_cursor`, `since_ahead`, `since_expired`.
    init(_ request: PullRequest, view: CallerView, registry: Registry, cursors: CursorCodec) throws {
        let access = view.access
        self.view = view
        binding = request.binding(access, schema: registry.version)
        let cursor = try request.cursor.map { [binding] in try cursors.decode($0, boundTo: binding) }
        var request = request
        if let cursor { request.part?.choice = cursor.choice }
        self.request = request
        try PagePlan.requireServable(cursor, access)
        try access.requireServable(request.since)
        try request.requireKnownPart(access.project)
        drain = DrainPlan(request, access: access, registry: registry)
        start = cursor ?? .first(of: drain, since: request.since, head: access.project.head)
        isFirst = cursor == nil
    }

    /// A page of a project's share of a user-wide drain, which has the head `head`. `place` is nil at its start.
    init(
        shareOf request: PullRequest, _ view: CallerView, _ registry: Registry, head: SyncSeq,
        from place: SharedPage.Place?
    ) {
        var request = request
        if let place { request.part?.choice = place.choice }
        self.request = request
        self.view = view
        binding = ""
        isFirst = place == nil
        drain = DrainPlan(request, access: view.access, registry: registry)
        var start = Cursor.first(of: drain, since: request.since, head: head)
        if let place { (start.segment, start.position) = (place.segment, place.position) }
        self.start = start
    }

    /// The plan with what it looks rows up by, if the drain begins with it and has not chosen yet.
    func choosing(_ registry: Registry, in transaction: any ReadTransaction) throws -> PagePlan {
        guard isFirst, request.part != nil else { return self }
        var plan = self
        try plan.request.choose(access: view.access, registry: registry, in: transaction)
        guard plan.request != request else { return self }
        plan.drain = DrainPlan(plan.request, access: view.access, registry: registry)
        plan.start = .first(of: plan.drain, since: request.since, head: start.timestamp)
        return plan
    }

    /// Throws `invalid_cursor` for a cursor from before a restore. A drain from 0 has
    /// no watermark that could show this, so the cursor must.
    private static func requireServable(_ cursor: Cursor?, _ access: ProjectAccess) throws {
        guard let cursor, cursor.timestamp > access.project.head || cursor.timestamp < access.project.floor else {
            return
        }
        throw Problem(.invalidCursor, "This cursor is from before a restore of the server. Restart from page 1.")
    }

    /// Whether this is the drain's first page.
    let isFirst: Bool

    /// Whether the drain carries no rows, whatever the project contains.
    var isEmpty: Bool { isFirst && request.since == start.timestamp && request.migration == nil && !request.isRoll }

    /// Nil if the page begins with rows that are for its reader only.
    var shared: PagePlan? {
        let isPrivate = drain.segments.indices.contains(start.segment) && drain.segments[start.segment].isPrivate
        return isPrivate ? nil : self
    }

    /// Whether nothing was written since the drain began.
    var isCurrent: Bool { start.timestamp == view.access.project.head }

    /// The end of the page, with the reader's cursor.
    func finished(_ page: SharedPage, _ cursors: CursorCodec) throws -> PageTrailer {
        var end = start
        end.rows += page.rows
        if isFirst { end.total = page.total }
        let next = try page.next.map { place in
            end.segment = place.segment
            end.position = place.position
            end.choice = place.choice
            return try cursors.encode(end, boundTo: binding)
        }
        return PageTrailer(
            timestamp: end.timestamp, nextCursor: next, rows: end.rows, total: end.total, digest: page.digest,
            isFiltered: drain.isFiltered)
    }
}

extension Cursor {
    /// The position before a drain's first row. `total` is filled in later, because it has to be read.
    static func first(of plan: DrainPlan, since: SyncSeq, head: SyncSeq) -> Cursor {
        Cursor(
            timestamp: head, segment: 0, position: .after(plan.segments.first?.lower ?? since), rows: 0, total: nil)
    }
}

/// The plan of a page that the cache may have.
protocol CacheablePlan: Sendable {
    /// What the page is to be read by; nil if it is for its reader only.
    var shared: PagePlan? { get }
}

/// The members of a pull's answer that follow `changes`.
struct PageTrailer {
    let timestamp: SyncSeq
    let nextCursor: String?
    /// Rows that the drain has served so far.
    let rows: Int
    /// An estimate of the drain's rows; nil if unknown. The answer shows `rows` instead if that is more.
    let total: Int?
    /// JSON text of the member `digest`; nil leaves the member out.
    let digest: String?
    /// Whether the drain has a part only. Older servers ignore the parameters that ask for one.
    var isFiltered = false

    var bytes: ByteBuffer {
        let digest = digest.map { ",\"digest\":\($0)" } ?? ""
        let filtered = isFiltered ? ",\"filtered\":true" : ""
        let cursor = nextCursor.map { "\"\($0)\"" } ?? "null"
        let total = total.map { "\(max($0, rows))" } ?? "null"
        return ByteBuffer(
            string: """
                \(digest)\(filtered),"has_more":\(nextCursor != nil),"next_cursor":\(cursor),\
                "progress":{"rows":\(rows),"total":\(total)},"timestamp":\(timestamp)}
                """)
    }
}
