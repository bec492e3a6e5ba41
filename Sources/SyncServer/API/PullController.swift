import HTTPTypes
import Hummingbird
import SyncAccounts
package import SyncEngine
import SyncProtocol
package import SyncSchema
import SyncStore

/// `GET /projects/{id}/sync/` and `GET /projects/{id}/sync/digest/`; the same over all projects of the caller, at
/// `/sync/` and `/sync/digest/`.
struct PullController<Store: SyncStore>: Sendable {
    let service: PullService<Store>
    let registry: Registry
    let settings: SyncSettings
    let held: HeldPull<Store>

    func page(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (pull, streams) = try pullRequest(request, context)
        let look = PullLook(
            request, context, streams: streams,
            empty: { try await service.emptyPage(pull, for: $0, packed: $1) },
            page: { try await service.page(pull.at($2), for: $0, packed: $1) },
            stream: { try await service.stream(pull, for: $0) })
        return try await answer(
            look, context: context, seconds: wait(request, since: pull.since, cursor: pull.cursor, pull.form),
            isFiltered: pull.part != nil, of: .project(pull.project))
    }

    func userPage(_ request: Request, _ context: CallerContext) async throws -> Response {
        let (pull, streams) = try Query(request).userPullRequest(
            for: context.caller.userID, registry: registry, settings: settings)
        let look = PullLook(
            request, context, streams: streams,
            empty: { try await service.emptyPage(pull, for: $0, packed: $1) },
            page: { try await service.page(pull.at($2), for: $0, packed: $1) },
            stream: { try await service.stream(pull, for: $0) })
        return try await answer(
            look, context: context, seconds: wait(request, since: pull.since, cursor: pull.cursor, pull.form),
            isFiltered: pull.form.part != nil, of: .memberships(pull.projects))
    }

    /// A pull of another part than before is never held: it has to end before the client can ask for anything else.
    private func wait(_ request: Request, since: SyncSeq, cursor: String?, _ form: PullForm) throws -> Int {
        let seconds = try Query(request).wait(since: since, cursor: cursor)
        return form.isRoll ? 0 : seconds
    }

    private func answer(
        _ look: PullLook, context: CallerContext, seconds: Int, isFiltered: Bool, of scope: FeedScope
    ) async throws -> Response {
        guard seconds > 0 else { return try await look.answer() }
        return try await held.answer(
            after: seconds, pausing: HeldPull<Store>.pause(isFiltered: isFiltered), context, of: scope
        ) { try await look.judgedAnswer() }
    }

    func userDigest(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        var pull = UserPullRequest(form: PullForm(collections: try query.collections(registry)))
        pull.projects = try query.projects()
        pull.form.part = try query.partOfDigest(for: context.caller.userID, registry, allowsProjects: true)
        return Reply(try await service.digests(pull, for: context.caller).json).response(to: request)
    }

    func digest(_ request: Request, _ context: CallerContext) async throws -> Response {
        let query = try Query(request)
        var pull = PullRequest(
            project: try context.parameters.require("project"), collections: try query.collections(registry))
        pull.part = try query.partOfDigest(for: context.caller.userID, registry, allowsProjects: false)
        let answer = try await service.digests(pull, for: context.caller)
        let digests = answer.digests.map(\.json) ?? .null
        return Reply(["timestamp": .int(answer.head.rawValue), "digest": digests]).response(to: request)
    }

    /// The pull that is asked for, and whether it is streamed in one answer.
    private func pullRequest(_ request: Request, _ context: CallerContext) throws -> (PullRequest, streams: Bool) {
        try Query(request).pullRequest(
            of: try context.parameters.require("project"), for: context.caller.userID, registry: registry,
            settings: settings)
    }
}

extension HTTPField.Name {
    /// The project's head at the time of the answer.
    static let tidemarkHead = HTTPField.Name("Tidemark-Head")!
    /// The answer is that of an earlier request with the same batch id or idempotency key.
    static let idempotentReplayed = HTTPField.Name("Idempotent-Replayed")!
}

extension PullRequest {
    /// The page at the cursor, or this page for nil.
    fileprivate func at(_ cursor: String?) -> PullRequest {
        var request = self
        if let cursor { request.cursor = cursor }
        return request
    }
}

extension UserPullRequest {
    /// The page at the cursor, or this page for nil.
    fileprivate func at(_ cursor: String?) -> UserPullRequest {
        var request = self
        if let cursor { request.cursor = cursor }
        return request
    }
}

/// Makes the answer to a pull, of one project or of all: a page or a stream, and whether it has something.
struct PullLook: Sendable {
    private let request: Request
    private let context: CallerContext
    private let streams: Bool
    private let empty: @Sendable (Caller, Bool) async throws -> PageResponse?
    private let page: @Sendable (Caller, Bool, String?) async throws -> PageResponse
    private let stream: @Sendable (Caller) async throws -> PullStream

    /// `empty` makes the page of a pull that is known to have nothing. The last argument of `page` is the cursor of a
    /// later page. The second argument of both says whether the client takes gzip.
    init(
        _ request: Request, _ context: CallerContext, streams: Bool,
        empty: @escaping @Sendable (Caller, Bool) async throws -> PageResponse?,
        page: @escaping @Sendable (Caller, Bool, String?) async throws -> PageResponse,
        stream: @escaping @Sendable (Caller) async throws -> PullStream
    ) {
        self.request = request
        self.context = context
        self.streams = streams
        self.empty = empty
        self.page = page
        self.stream = stream
    }

    /// The answer. A stream that is known to be empty is answered like a page.
    func answer() async throws -> Response {
        guard streams else { return reply(try await page(context.caller, packs, nil)) }
        if let page = try await empty(context.caller, packs) { return reply(page) }
        return reply(try await stream(context.caller))
    }

    /// The answer, and whether it has nothing.
    func judgedAnswer() async throws -> (response: Response, isEmpty: Bool) {
        guard streams else {
            let page = try await page(context.caller, packs, nil)
            return (reply(page), try await isEmpty(page))
        }
        if let page = try await empty(context.caller, packs) { return (reply(page), true) }
        let stream = try await stream(context.caller)
        return (reply(stream), stream.isEmpty)
    }

    private var packs: Bool { request.acceptsGzip }

    /// Follows the cursor of a page that has nothing, until one has something or the drain is done.
    private func isEmpty(_ page: PageResponse) async throws -> Bool {
        var page = page
        while case .nothingYet(let cursor) = page.content {
            page = try await self.page(context.caller, packs, cursor)
        }
        return page.content == .nothing
    }

    private func reply(_ stream: PullStream) -> Response {
        let reply = StreamReply(stream: stream, channel: context.channel, logger: context.logger) { [context] in
            context.draining?.reach(stream.head)
        }
        return reply.response(to: request)
    }

    private func reply(_ page: PageResponse) -> Response {
        if let reached = page.reached { context.draining?.reach(reached) }
        var reply = Reply(parts: page.parts)
        reply.isPacked = page.isPacked
        reply.headers[.tidemarkHead] = page.head.description
        return reply.response(to: request)
    }
}

/// The parameters of a pull.
extension Query {
    /// The pull that is asked for, and whether it is streamed in one answer.
    package func pullRequest(
        of project: String, for user: Int64, registry: Registry, settings: SyncSettings
    ) throws -> (PullRequest, streams: Bool) {
        let since = try watermark()
        var form = try pullForm(since: since, registry, settings)
        form.part = try part(since: since, for: user, registry, allowsProjects: false)
        return (PullRequest(project: project, since: since, cursor: cursor, form: form), try streams())
    }

    /// The pull over all projects that is asked for, and whether it is streamed in one answer.
    package func userPullRequest(
        for user: Int64, registry: Registry, settings: SyncSettings
    ) throws -> (UserPullRequest, streams: Bool) {
        let since = try watermark()
        var form = try pullForm(since: since, registry, settings)
        form.part = try part(since: since, for: user, registry, allowsProjects: true)
        var pull = UserPullRequest(since: since, cursor: cursor, form: form)
        pull.projects = try projects()
        return (pull, try streams())
    }

    private var cursor: String? { text("cursor").flatMap { $0.isEmpty ? nil : $0 } }

    private func pullForm(since: SyncSeq, _ registry: Registry, _ settings: SyncSettings) throws -> PullForm {
        var form = PullForm(
            pageSize: try pageSize(default: settings.pullPageSize, maximum: settings.pullMaximumPageSize),
            collections: try collections(registry))
        form.encoding = try encoding()
        form.created = try created(since: since)
        form.migration = try migration(registry)
        return form
    }

    /// `projects`, separated by commas; nil if absent. Throws `not_found` for what can't be a project's id.
    func projects() throws -> Set<String>? {
        guard let list = text("projects") else { return nil }
        let ids = list.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        if let wrong = ids.first(where: { !RowID.isValid($0) }) {
            throw Problem(.notFound, "projects: there is no project \"\(wrong)\".")
        }
        return Set(ids)
    }

    /// `collections`, separated by commas; nil if absent. Throws `unknown_collection`.
    func collections(_ registry: Registry) throws -> Set<String>? {
        guard let list = text("collections") else { return nil }
        let names = Set(list.split(separator: ",", omittingEmptySubsequences: false).map(String.init))
        if let unknown = names.sorted().first(where: { registry[$0] == nil }) {
            throw Problem(
                .unknownCollection,
                "There is no collection \"\(unknown)\". "
                    + "There are: \(registry.collections.map(\.name).joined(separator: ", ")).")
        }
        return names
    }

    /// `since`, or `last_pulled_at`, which is WatermelonDB's name for it and may also be empty or `null` for 0.
    /// Both may be present if they say the same. Throws `invalid_since`, or `invalid_parameter` if the two differ.
    func watermark() throws -> SyncSeq {
        guard let watermark = try lastPulledAt() else { return try since() }
        guard try text("since") == nil || since() == watermark else {
            throw Problem(.invalidParameter, "since and last_pulled_at are two names for one number; send one of them.")
        }
        return watermark
    }

    /// `last_pulled_at`; nil if absent. Throws `invalid_since`.
    func lastPulledAt() throws -> SyncSeq? {
        guard let text = text("last_pulled_at") else { return nil }
        if text.isEmpty || text == "null" { return .zero }
        guard let watermark = Query.commit(text) else {
            throw Problem(
                .invalidSince,
                "last_pulled_at must be an integer from 0 to 2^53 - 1, the timestamp of the last pull, or null.")
        }
        return watermark
    }

    /// `encoding`. If it is absent: `watermelondb` for a client that sends `last_pulled_at`, otherwise `json`.
    func encoding() throws -> WireEncoding {
        guard let text = text("encoding") else { return text("last_pulled_at") == nil ? .json : .watermelondb }
        guard let encoding = WireEncoding(rawValue: text) else {
            throw Problem(.invalidParameter, "encoding must be json or watermelondb.")
        }
        return encoding
    }

    /// `stream`. If it is absent: true for a client that sends
    /// `last_pulled_at`, because it expects one answer with everything.
    func streams() throws -> Bool {
        try text("stream") == nil ? text("last_pulled_at") != nil : flag("stream")
    }

    /// `wait`: for how many seconds a pull without news may be held, from 0 to 60; 0 if absent, and for a pull from 0,
    /// which always has something. Throws `invalid_parameter`, also for a page after the first.
    func wait(since: SyncSeq, cursor: String?) throws -> Int {
        guard let text = text("wait") else { return 0 }
        guard let seconds = Int(text), (0...60).contains(seconds), text.utf8.first != UInt8(ascii: "+") else {
            throw Problem(.invalidParameter, "wait must be a whole number of seconds from 0 to 60.")
        }
        guard seconds == 0 || cursor == nil else {
            throw Problem(.invalidParameter, "Only the first page of a drain can wait: leave out wait, or cursor.")
        }
        return since == .zero ? 0 : seconds
    }

    /// `split_created`. At its first pull, a client that sends `last_pulled_at` gets every row as created, unless this
    /// is `false`. The client has no rows yet, and would complain about each row in `updated` that it does not have.
    func created(since: SyncSeq) throws -> PullRequest.Created {
        let splits = try flag("split_created")
        let isFirst = since == .zero && text("last_pulled_at") != nil
        if isFirst, splits || text("split_created") == nil { return .all }
        return splits ? .ofOthers : .none
    }

    /// `true` or `false`; false if absent. Throws `invalid_parameter`.
    func flag(_ name: String) throws -> Bool {
        switch text(name) {
        case nil, "false": return false
        case "true": return true
        default: throw Problem(.invalidParameter, "\(name) must be true or false.")
        }
    }

    /// `migration`; nil if absent, empty or `null`. A client that sends `last_pulled_at` names
    /// everything that its app has, so tables and columns that the server does not know are ignored.
    func migration(_ registry: Registry) throws -> PullMigration? {
        guard let text = text("migration"), !text.isEmpty else { return nil }
        return try PullMigration(
            parsing: text, registry: registry, ignoresUnknown: self.text("last_pulled_at") != nil)
    }
}
