import NIOCore
package import SyncAccounts
package import SyncProtocol
import SyncSchema
import SyncStore

/// Pulls over all projects of a user.
extension PullService {
    /// One page of a user-wide drain. Everything on it is of one committed state, which is the pinned one or a later
    /// one; rows that were written after the pinned number come with the next drain.
    ///
    /// If `packed`, the page may come as gzip. Throws `not_found` for a project that the caller never was a member of,
    /// `invalid_cursor`, `since_ahead`, `since_expired`.
    package func page(
        _ request: UserPullRequest, for caller: Caller, packed: Bool = false
    ) async throws -> PageResponse {
        let packed = packed && packer != nil
        if let page = try await emptyPage(request, for: caller, packed: packed) { return page }
        let (plan, page) = try await served(isPacked: packed) {
            try await self.plan(request, caller)
        } read: { () async throws -> (UserPagePlan, SharedPage) in
            try await store.read(.installation) { try read(request, for: caller, in: $0) }
        }
        return try await finished(page, plan)
    }

    private func plan(_ request: UserPullRequest, _ caller: Caller) async throws -> UserPagePlan {
        if request.cursor == nil, users.hasFew(of: caller.userID, after: try request.number()) {
            return try await store.readInline(.installation) { try plan(request, for: caller, in: $0) }
        }
        return try await store.read(.installation) { try plan(request, for: caller, in: $0) }
    }

    func plan(
        _ request: UserPullRequest, for caller: Caller, in transaction: any ReadTransaction
    ) throws -> UserPagePlan {
        let projects = try users.projects(of: caller.userID, in: transaction)
        return try UserPagePlan(
            request, for: caller, projects: projects, registry: registry, cursors: cursors, now: clock.now(),
            in: transaction)
    }

    private func read(
        _ request: UserPullRequest, for caller: Caller, in transaction: any ReadTransaction
    ) throws -> (UserPagePlan, SharedPage) {
        var plan = try plan(request, for: caller, in: transaction)
        let page: SharedPage
        if let single = plan.single {
            page = try self.page(single, transaction)
        } else {
            var run = ShareRun(plan, registry)
            page = try run.page(transaction)
            plan.end(with: run)
        }
        // A write just after the page would take away digests that are read later.
        if plan.next(page) == nil {
            plan.readEnd =
                try plan.endOnPage(page)
                ?? end(of: plan.drain, request: request, for: caller, in: transaction)
        }
        return (plan, page)
    }

    private func finished(_ page: SharedPage, _ plan: UserPagePlan) async throws -> PageResponse {
        var trailer = plan.trailer
        trailer.rows += page.rows
        if let cursor = plan.next(page) {
            trailer.nextCursor = try cursors.seal(cursor.text, boundTo: plan.binding(registry))
        } else {
            trailer.end = try await end(of: plan, page)
        }
        let content = PageResponse.Content(isEmpty: trailer.isEmpty, next: trailer.nextCursor)
        var response = response(page, tail: trailer.bytes, head: trailer.head(at: plan.drain.newest), content: content)
        if trailer.nextCursor == nil { response.reached = trailer.number.watermark }
        return response
    }

    private func end(of plan: UserPagePlan, _ page: SharedPage) async throws -> UserDrainEnd {
        if let end = plan.readEnd ?? plan.endOnPage(page) { return end }
        // The page was read by somebody else, or for somebody else.
        return try await store.read(.installation) {
            try end(of: plan.drain, request: plan.request, for: plan.caller, in: $0)
        }
    }

    func end(
        of drain: UserDrain, request: UserPullRequest, for caller: Caller, in transaction: any ReadTransaction
    ) throws -> UserDrainEnd {
        var end = UserDrainEnd()
        for project in drain.outside { end.heads[project] = try drain.head(of: project, in: transaction) }
        for share in drain.shares {
            guard let request = share.request(request.form) else { continue }
            let head = try drain.head(of: share.project, in: transaction)
            end.heads[share.project] = head
            // Whoever lost the project meanwhile hears of it with the next drain.
            guard request.part?.wantsDigest ?? true,
                let access = try ProjectAccess.ifVisible(caller, project: share.project, in: transaction),
                access.project.head == head
            else {
                end.digests[share.project] = .null
                continue
            }
            end.digests[share.project] =
                try VisibleDigests(
                    ofPartOf: request, access: access, registry: registry, in: transaction
                ).map(\.json) ?? .null
        }
        return end
    }

    /// The page of a drain that starts at the newest commit to the caller's projects; nil for any other drain. It looks
    /// at no project. Throws what `page` throws.
    package func emptyPage(
        _ request: UserPullRequest, for caller: Caller, packed: Bool
    ) async throws -> PageResponse? {
        guard request.cursor == nil, request.form.migration == nil, !request.form.isRoll,
            let number = try request.number()
        else {
            return nil
        }
        // With many projects, the user's mark costs more than a look at all new commits.
        let hasMany = users.hasMany(of: caller.userID)
        let key = UserEmptyPageKey(
            request: request, user: caller.userID, isPacked: packed && packer != nil, isOfAllCommits: hasMany)
        let mark = try await store.mark(of: hasMany ? .numbers : .user(caller.userID))
        return try await userEmptyPages.value(of: key, at: mark, in: store, .user(caller.userID)) { transaction in
            let projects = try users.projects(of: caller.userID, in: transaction)
            guard try projects.newest(of: request.projects) == number else { return nil }
            return emptyPage(key, number)
        }
    }

    private func emptyPage(_ key: UserEmptyPageKey, _ number: CommitNumber) -> PageResponse {
        let isFiltered = key.request.form.part != nil
        var writer = PageWriter(expectedRows: 0, hasLeft: key.request.hasLeft)
        writer.pass(key.request.form.collections(of: registry))
        let trailer = UserPageTrailer(
            number: number, rows: 0, total: isFiltered ? nil : 0, left: [], end: UserDrainEnd(), isFiltered: isFiltered)
        var body = writer.changes()
        body.writeImmutableBuffer(trailer.bytes)
        let page = PageResponse(
            parts: [body], isPacked: false, head: number.watermark, content: .nothing, reached: number.watermark)
        return whole(page, isPacked: key.isPacked)
    }

    /// The digests of the rows that the caller sees now in each project. Only the request's `form.collections`,
    /// `form.part` and `projects` matter. Throws `not_found` for a project that the caller never was a member of.
    package func digests(_ request: UserPullRequest, for caller: Caller) async throws -> UserDigests {
        try await store.read(.installation) { transaction in
            var all = request
            all.since = .zero
            let projects = try users.projects(of: caller.userID, in: transaction)
            let drain = try UserDrain(all, projects, pinned: nil, registry: registry, in: transaction)
            return UserDigests(
                number: drain.number, end: try end(of: drain, request: all, for: caller, in: transaction))
        }
    }
}

/// A request for one page of all projects of the caller.
package struct UserPullRequest: Sendable, Hashable {
    /// The watermark as sent. 0 is everything.
    package var since: SyncSeq
    package var cursor: String?
    package var form: PullForm
    /// The projects that are asked for; nil for all.
    package var projects: Set<String>?

    package init(since: SyncSeq = .zero, cursor: String? = nil, form: PullForm = PullForm()) {
        self.since = since
        self.cursor = cursor
        self.form = form
    }

    /// Whether each collection of an answer has the list `left`.
    var hasLeft: Bool { since > .zero && form.part?.left == .left }

    /// The number that the watermark stands for; nil for 0. Throws `since_ahead` for a project's watermark.
    func number() throws -> CommitNumber? {
        if since == .zero { return nil }
        guard let number = CommitNumber(watermark: since.rawValue) else {
            throw Problem(
                .sinceAhead, "\(since) is the watermark of one project, not of all projects of a user. Resync from 0.")
        }
        return number
    }

    /// Everything that the drain depends on, apart from memberships.
    func binding(of user: Int64, schema: String) -> String {
        let names = projects.map { $0.sorted().joined(separator: ",") } ?? "*"
        return "user-cursor-1|\(schema)|\(user)|\(since)|\(names)|\(form.binding)"
    }
}

/// The digests of the rows that a caller sees in all projects, at one number.
package struct UserDigests: Sendable {
    let number: CommitNumber
    let end: UserDrainEnd

    /// `{"timestamp":…, "digest": {"p-1": {"tasks": {"count":3,"digest":"…"},…}}, "heads": {"p-1": 57}}`
    package var json: JSON {
        [
            "timestamp": .int(number.watermark), "digest": .object(end.digests),
            "heads": .object(end.heads.mapValues { .int($0.rawValue) }),
        ]
    }
}

/// A user-wide request whose answer stays the same until the next commit to one of the user's projects.
struct UserEmptyPageKey: Hashable, Sendable {
    let request: UserPullRequest
    let user: Int64
    let isPacked: Bool
    /// Whether the answer is kept under the mark of all commits instead of the user's. The two can't be compared.
    let isOfAllCommits: Bool
}
