import NIOCore
package import SyncAccounts
import SyncProtocol
import SyncStore

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
            return try PagePlan(request, try await view(of: request.project, caller, at: mark), registry, cursors)
        } read: {
            try await read(request, caller)
        }
        return try finished(page, plan)
    }

    private func read(_ request: PullRequest, _ caller: Caller) async throws -> (PagePlan, SharedPage) {
        try await store.read(.project(request.project)) { transaction in
            let plan = try plan(request, caller, transaction)
            return (plan, try page(plan, transaction))
        }
    }

    /// Reads a page of one project.
    func page(_ plan: PagePlan, _ transaction: any ReadTransaction) throws -> SharedPage {
        var drain = PageAssembler(plan)
        try drain.run(transaction)
        return try drained(drain, plan, transaction)
    }

    private func drained(
        _ drain: consuming PageAssembler, _ plan: PagePlan, _ transaction: any ReadTransaction
    ) throws -> SharedPage {
        try drain.finish(total: plan.isFirst ? total(plan, transaction) : nil) { try digest(plan, transaction) }
    }

    private func finished(_ page: SharedPage, _ plan: PagePlan) throws -> PageResponse {
        let trailer = try plan.finished(page, cursors)
        let content = PageResponse.Content(isEmpty: trailer.rows == 0, next: trailer.nextCursor)
        var response = response(page, trailer.bytes, head: plan.view.access.project.head.rawValue, content)
        if trailer.nextCursor == nil { response.reached = trailer.timestamp.rawValue }
        return response
    }

    /// A page with its reader's end.
    func response(
        _ page: SharedPage, _ tail: ByteBuffer, head: Int64, _ content: PageResponse.Content
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
        guard request.cursor == nil, request.since > .zero else { return nil }
        let question = EmptyPageKey(request: request, caller: caller, isPacked: packed)
        if let page = emptyPages.value(of: question, at: mark) { return page }
        let head = try await view(of: request.project, caller, at: mark).access.project.head
        guard head == request.since else { return nil }
        return try await emptyPages.value(of: question, at: mark, in: store, .project(request.project)) {
            try emptyPage(question, $0)
        }
    }

    private func emptyPage(_ question: EmptyPageKey, _ transaction: any ReadTransaction) throws -> PageResponse? {
        let plan = try plan(question.request, question.caller, transaction)
        guard plan.isEmpty else { return nil }
        var drain = PageAssembler(plan)
        drain.pass()
        let page = try finished(try drained(drain, plan, transaction), plan)
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
