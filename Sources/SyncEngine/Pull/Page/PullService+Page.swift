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
        var mark = try await store.mark(of: .project(request.project))
        if let page = try await emptyPage(request, for: caller, packed: packed, at: mark) { return page }
        for _ in 0..<Self.attempts {
            let plan = try PagePlan(request, try await view(of: request.project, caller, at: mark), registry, cursors)
            guard let cache, !plan.beginsInPrivate else { break }
            let key = PageKey(plan, isPacked: packed)
            switch cache.answer(to: key) {
            case .kept(let page): return try finished(page, plan)
            case .missing(let flight): return try await sharedPage(request, caller, key, flight, cache)
            case .awaited(let flight):
                switch await flight.landing() {
                case .shared(let page): return try finished(page, plan)
                case .private: return try await ownPage(request, caller)
                case .lost: mark = try await store.mark(of: .project(request.project))
                }
            }
        }
        return try await ownPage(request, caller)
    }

    /// How many times to try for a shared page before the caller reads its
    /// own. A try fails if the page no longer fits its key.
    private static var attempts: Int { 3 }

    /// Reads a page, and shares it with everybody who waits for it if it can be shared.
    private func sharedPage(
        _ request: PullRequest, _ caller: Caller, _ key: PageKey, _ flight: Flight, _ cache: PageCache
    ) async throws -> PageResponse {
        var landing = Flight.Landing.lost
        defer { cache.land(flight, of: key, with: landing) }
        var (plan, page) = try await read(request, caller)
        // The caller's view may have changed since the key was made.
        guard PageKey(plan, isPacked: key.isPacked) == key else { return try finished(page, plan) }
        landing = .private
        guard page.isShareable else { return try finished(page, plan) }
        if key.isPacked, let packer { page.pack(by: packer) } else { page.trim() }
        landing = .shared(page)
        return try finished(page, plan)
    }

    private func ownPage(_ request: PullRequest, _ caller: Caller) async throws -> PageResponse {
        let (plan, page) = try await read(request, caller)
        return try finished(page, plan)
    }

    private func read(_ request: PullRequest, _ caller: Caller) async throws -> (PagePlan, SharedPage) {
        try await store.read(.project(request.project)) { transaction in
            let plan = try plan(request, caller, transaction)
            var drain = PageAssembler(plan)
            try drain.run(transaction)
            return (plan, try drained(drain, plan, transaction))
        }
    }

    private func drained(
        _ drain: consuming PageAssembler, _ plan: PagePlan, _ transaction: any ReadTransaction
    ) throws -> SharedPage {
        try drain.finish(total: plan.isFirst ? total(plan, transaction) : nil) { try digest(plan, transaction) }
    }

    private func finished(_ page: SharedPage, _ plan: PagePlan) throws -> PageResponse {
        let (tail, head) = (try plan.finished(page, cursors).bytes, plan.view.access.project.head)
        guard let packer, let start = page.packed else {
            return PageResponse(parts: [page.changes, tail], isPacked: false, head: head)
        }
        return PageResponse(parts: [start.bytes, packer.end(of: start, tail)], isPacked: true, head: head)
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
        guard question.isPacked, let packer, let start = packer.start(page.body) else { return page.joined }
        let end = packer.end(of: start, ByteBuffer())
        return PageResponse(parts: [start.bytes, end], isPacked: true, head: page.head).joined
    }
}
