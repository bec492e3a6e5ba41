public import SyncProtocol

/// The pull protocol as a pure state machine. An event goes in: what happened. An action comes out: what to do next.
///
/// It does no I/O and reads no clock, so every path through it can be tested with plain values. `Puller` carries out
/// the actions and reports back, with one event for each action.
///
/// The schema is requested before the first page. So a row never arrives for a column that the replica does not have,
/// and a changed schema voids the cursor before the server has to refuse it.
struct PullLoop: Sendable, Equatable {
    /// What to do next. `wipe`, `finish` and `fail` end the pull. Every other action is answered by
    /// an event, named after the arrow.
    enum Action: Sendable, Equatable {
        case send(Fetch, timeout: Duration)
        case wait(Duration)
        /// Adopt the schema: add tables and columns, and drop the drain; → `stored`.
        case adopt(ServerSchema)
        /// Drop the drain, and with `resync` also the watermark; → `stored` or `superseded`.
        case reset(resync: Bool)
        /// Store the page together with its cursor, or with the new watermark if it is the last
        /// page; → `stored` or `superseded`.
        case apply(PageResponse)
        case wipe(WipeReason, detail: String)
        case finish(PullOutcome)
        case fail(SyncError)
    }

    /// What happened.
    enum Event: Sendable, Equatable {
        case answered(TransportResponse)
        /// The response to a request for a page, already read.
        case page(Verdict<PageResponse>)
        case failed(TransportError)
        case waited
        case stored(ReplicaState, dropped: Int = 0, differing: Replacing = [], left: [LeftProject] = [])
        /// Another process has changed the replica's state. Nothing was stored.
        case superseded(ReplicaState)
    }

    /// The most restarts and resyncs of one pull. After these the server counts as broken.
    static let restartLimit = 5
    /// The most drains of one pull, if none counts.
    static let roundLimit = 8
    /// After so many drains that did not count, everything is asked for in one answer.
    static let pagedRounds = 3

    private(set) var state: ReplicaState
    /// The schema; nil until the replica or the server supplied one.
    private(set) var schema: ServerSchema?
    private(set) var outcome = PullOutcome()
    /// The progress after the last applied page; nil before the first.
    private(set) var progress: PullProgress?
    /// The reason for the present wait, or the last one.
    private(set) var trouble: SyncTrouble?
    let options: SyncOptions
    /// The filter that the replica is to hold, unless the server knows no filters.
    private var wanted: PartFilter
    /// Whether to ask for the digest of a part, which costs the server a look at all of its rows.
    private let comparesParts: Bool
    private var retry: Retry
    private var fetch: Fetch
    /// For how many seconds the server may hold the first page back. It is asked once.
    private var hold: Int
    private var storing: PageResponse?
    private var restarts = 0
    /// The drains that did not count.
    private var rounds = 0
    /// The collections that the present drain replaces. This list is not stored. If another pull takes the drain over,
    /// its cursor is refused; that pull starts an ordinary drain and finds the difference again.
    private(set) var replacing: Replacing = []

    /// Continues from a replica's state and schema, until the replica holds the filter `wanted`. `seed` decides the
    /// jitter of the waits. The server may hold the first page back for `hold` seconds while there is nothing new.
    init(
        state: ReplicaState, schema: ServerSchema?, options: SyncOptions, seed: UInt64, hold: Int = 0,
        wanted: PartFilter = .everything, comparesParts: Bool = false
    ) {
        self.state = state
        self.schema = schema
        self.options = options
        self.hold = hold
        self.wanted = wanted
        self.comparesParts = comparesParts
        retry = Retry(options, seed: seed)
        fetch = .schema(known: schema?.version)
        outcome.resumed = state.drain != nil
    }

    /// The first action. `now` is the time since any fixed moment.
    mutating func start(at now: Duration) -> Action { begin(.schema(known: schema?.version), at: now) }

    /// The next action. `now` must never go back.
    mutating func handle(_ event: Event, at now: Duration) -> Action {
        switch event {
        case .answered(let response): answered(response, at: now)
        case .page(let verdict): judge(verdict, at: now) { $0.apply($1) }
        case .failed(let error): failed(error, at: now)
        case .waited: waited(at: now)
        case .stored(let state, let dropped, let differing, let left):
            stored(state, dropped: dropped, differing: differing, left: left, at: now)
        case .superseded(let state): superseded(state, at: now)
        }
    }
}

// MARK: Requests

extension PullLoop {
    private mutating func begin(_ fetch: Fetch, at now: Duration) -> Action {
        self.fetch = fetch
        retry.begin(at: now)
        return send(at: now)
    }

    private func send(at now: Duration) -> Action { .send(fetch, timeout: retry.timeout(at: now)) }

    private mutating func nextPage(at now: Duration) -> Action {
        let isSettled = state.settled == state.asked && state.drain == nil && target == state.askedFilter
        let wait = isSettled && replacing.collections.isEmpty ? hold : 0
        hold = 0
        let isStream = state.drain == nil && rounds >= Self.pagedRounds
        return begin(page(cursor: state.drain?.cursor, wait: wait, isStream: isStream), at: now)
    }

    /// Where a stream is refused or does not get through, pages are asked for. Nil if none was asked for.
    private mutating func pagesInstead(at now: Duration) -> Action? {
        guard case .page(_, _, _, _, _, isStream: true, _) = fetch else { return nil }
        return begin(page(cursor: nil), at: now)
    }

    /// Tries again. While a page was held back, the server may have been replaced by one with another schema.
    private mutating func waited(at now: Duration) -> Action {
        if fetch.isHeld { fetch = .schema(known: schema?.version) }
        return send(at: now)
    }

    private func page(cursor: String?, wait: Int = 0, isStream: Bool = false) -> Fetch {
        .page(
            since: state.asked, cursor: cursor, size: isStream ? nil : options.pageSize, replacing: replacing,
            wait: wait, isStream: isStream, part: part)
    }

    /// The filter of the next drain, or of the one in progress.
    private var target: PartFilter { state.target ?? wanted }

    /// What the requests say of the part; nil while it is everything.
    private var part: PartParameters? {
        let former = state.asked == .zero ? nil : state.askedFilter
        guard !target.isEverything || former?.isEverything == false else { return nil }
        let isOther = former != target
        return PartParameters(filter: target, former: former, wantsDigest: comparesParts || isOther)
    }

    /// The request that follows when `page` is stored, unless something comes between. Nil after the last page.
    func fetch(after page: PageResponse) -> Fetch? { page.nextCursor.map { self.page(cursor: $0) } }

    private mutating func failed(_ error: TransportError, at now: Duration) -> Action {
        if let pages = pagesInstead(at: now) { return pages }
        guard error.isTransient else { return .fail(.transport(error)) }
        if error == .timeout { retry.timedOut() }
        return again(after: nil, SyncTrouble(error), at: now)
    }

    private mutating func again(after asked: Duration?, _ trouble: SyncTrouble, at now: Duration) -> Action {
        self.trouble = trouble
        return retry.delay(after: asked, at: now).map(Action.wait) ?? .fail(.gaveUp(reason: trouble.reason))
    }
}

// MARK: Answers

extension PullLoop {
    private mutating func answered(_ response: TransportResponse, at now: Duration) -> Action {
        switch (fetch, schema) {
        case (.schema, _):
            judge(Verdict<JSON>(response), at: now) { $0.adopt($1, at: now) }
        case (.page, let schema?): judge(Verdict<PageResponse>(response, pageOf: schema), at: now) { $0.apply($1) }
        case (.page, nil): .fail(.violation("a page came before the schema"))
        }
    }

    private mutating func judge<Content>(
        _ verdict: Verdict<Content>, at now: Duration, _ success: (inout Self, Content) -> Action
    ) -> Action {
        switch verdict {
        case .success(let content): success(&self, content)
        case .unchanged: unchanged(at: now)
        case .retry(let after, let reason):
            pagesInstead(at: now) ?? again(after: after, SyncTrouble(answer: reason), at: now)
        case .restart(let detail): restart(resync: false, detail)
        case .resync(let detail): restart(resync: true, detail)
        // No answer about one project concerns the others.
        case .wipe(_, let detail) where state.scope == .allProjects:
            .fail(.violation("it answered about one project (\(detail))"))
        case .wipe(let reason, let detail): .wipe(reason, detail: detail)
        case .refuse(let error): .fail(error)
        }
    }

    private mutating func adopt(_ json: JSON, at now: Duration) -> Action {
        do {
            return adopt(try ServerSchema(json, allProjects: state.scope == .allProjects), at: now)
        } catch {
            return .fail(SyncError(error))
        }
    }

    private mutating func unchanged(at now: Duration) -> Action {
        guard case .schema(.some) = fetch, let schema else {
            return .fail(.violation("it answered 304 to a request without a condition"))
        }
        return adopt(schema, at: now)
    }

    private mutating func adopt(_ schema: ServerSchema, at now: Duration) -> Action {
        self.schema = schema
        return state.schemaVersion == schema.version ? nextPage(at: now) : .adopt(schema)
    }

    private mutating func apply(_ page: PageResponse) -> Action {
        var page = page
        if let part {
            guard page.isFiltered || takesEverything else {
                return restart(resync: true, "the server does not know filters")
            }
            if !page.isFiltered { wanted = .everything }
            page.wantsDigest = part.wantsDigest
        }
        page.filter = target
        do {
            try check(page)
        } catch {
            return .fail(SyncError(error))
        }
        storing = page
        return .apply(page)
    }

    /// Whether the rows of a drain that begins now can be taken for everything. A server of a version before parts
    /// sends everything.
    private var takesEverything: Bool {
        let isPart = state.asked > .zero && !(state.askedFilter.isEverything && state.target?.isEverything ?? true)
        return state.drain == nil && !isPart
    }

    /// Throws `SyncError.violation` when the page does not fit into its drain.
    private func check(_ page: PageResponse) throws {
        guard page.timestamp >= state.asked else { throw SyncError.violation("`timestamp` is below `since`") }
        if state.scope == .allProjects { try checkProjects(page) }
        guard let drain = state.drain else { return }
        guard page.timestamp == drain.timestamp else {
            throw SyncError.violation("`timestamp` changed within one drain")
        }
        guard page.nextCursor != drain.cursor else { throw SyncError.violation("`next_cursor` does not move") }
    }

    private func checkProjects(_ page: PageResponse) throws {
        guard state.drain != nil || page.left != nil else { throw SyncError.violation("`left_projects` is missing") }
        guard page.nextCursor != nil || page.heads != nil else { throw SyncError.violation("`heads` is missing") }
    }

    private mutating func restart(resync: Bool, _ detail: String) -> Action {
        let hasCause = state.drain != nil || (resync && state.since > .zero)
        restarts += 1
        guard hasCause, restarts <= Self.restartLimit else {
            return .fail(.violation("it keeps refusing to start a drain (\(detail))"))
        }
        return .reset(resync: resync)
    }
}

// MARK: The replica

extension PullLoop {
    private mutating func stored(
        _ state: ReplicaState, dropped: Int, differing: Replacing, left: [LeftProject], at now: Duration
    ) -> Action {
        outcome.left += left
        let before = self.state
        self.state = state
        if state.since < before.since { outcome.resynced = true }
        guard let page = storing else { return afterReset(at: now) }
        storing = nil
        count(page, dropped: dropped, of: before.drain)
        guard page.nextCursor == nil else { return nextPage(at: now) }
        guard state.since > .zero else { return voided(differing, at: now) }
        return drained(differing, counts: before.counts(page), at: now)
    }

    /// The end of the drain showed that the server's history is no longer the same. Everything is read again.
    private mutating func voided(_ differing: Replacing, at now: Duration) -> Action {
        outcome.replaced += differing.collections.filter { !outcome.replaced.contains($0) }
        return afterReset(at: now)
    }

    /// Collections that differ are replaced, once in a pull. A drain that does not count is followed by another one at
    /// once.
    private mutating func drained(_ differing: Replacing, counts: Bool, at now: Duration) -> Action {
        if !differing.collections.isEmpty, outcome.replaced.isEmpty {
            outcome.replaced = differing.collections
            replacing = differing
            return nextPage(at: now)
        }
        outcome.differing = differing.collections
        replacing = []
        guard counts else { return nextRound(at: now) }
        // This drain had to be finished before another filter could be asked for.
        guard state.filter == wanted else { return nextPage(at: now) }
        outcome.filter = state.filter
        return .finish(outcome)
    }

    private mutating func nextRound(at now: Duration) -> Action {
        rounds += 1
        guard rounds == Self.roundLimit else { return nextPage(at: now) }
        outcome.isSettled = false
        outcome.timestamp = state.since
        outcome.filter = state.filter
        return .finish(outcome)
    }

    /// Goes on after the replica's drain was dropped. After `adopt` the schema is current. After `reset` a changed
    /// schema may be the cause, so the schema is requested.
    private mutating func afterReset(at now: Duration) -> Action {
        replacing = []
        // A stream of everything could be too large for the memory.
        if state.since == .zero { rounds = 0 }
        outcome.resumed = false
        if case .schema = fetch { return nextPage(at: now) }
        return start(at: now)
    }

    private mutating func superseded(_ state: ReplicaState, at now: Duration) -> Action {
        self.state = state
        storing = nil
        replacing = []
        return start(at: now)
    }

    private mutating func count(_ page: PageResponse, dropped: Int, of drain: ReplicaState.Drain?) {
        outcome.rows += page.rows
        outcome.deleted += page.deleted
        outcome.dropped += dropped
        outcome.pages += 1
        outcome.timestamp = page.timestamp
        outcome.head = page.head
        progress = PullProgress(rows: (drain?.rows ?? 0) + Int64(page.count), total: page.total)
    }
}

extension SyncError {
    /// Turns any error in what the server sent into a violation.
    fileprivate init(_ error: any Error) { self = error as? SyncError ?? .violation("\(error)") }
}

/// What a pull can request from the server.
enum Fetch: Sendable, Equatable {
    /// The schema. `known` is the version that the client has; if it is still current, the server may answer 304.
    case schema(known: String?)
    /// A page. `since` is the same for the whole drain; without `cursor` a new drain begins. `size` is in rows. Every
    /// row of the collections in `replacing` is sent again. The server holds the response back for at most `wait`
    /// seconds while it would be empty. With `isStream` the whole drain comes in one answer. `part` is nil if
    /// everything is asked for, and `since` is good for everything.
    case page(
        since: SyncSeq, cursor: String?, size: Int?, replacing: Replacing = [], wait: Int = 0, isStream: Bool = false,
        part: PartParameters? = nil)

    /// Whether the server may hold the response back.
    var isHeld: Bool {
        if case .page(_, _, _, _, let wait, _, _) = self { wait > 0 } else { false }
    }
}

/// What a request for a page says of the part that it is for.
struct PartParameters: Sendable, Equatable {
    let filter: PartFilter
    /// The filter that `since` is good for; nil at 0.
    let former: PartFilter?
    let wantsDigest: Bool

    /// The parameters, as in `docs/protocol.md#a-part-of-a-project`.
    var parameters: [(name: String, value: String)] {
        var parameters: [(name: String, value: String)] = []
        if !filter.isEverything { parameters.append(("filter", filter.text)) }
        if let former { parameters.append(("filter_was", former == filter ? "same" : former.text)) }
        if wantsDigest { parameters.append(("digest", "true")) }
        return parameters
    }
}

/// What a finished pull did.
public struct PullOutcome: Sendable, Equatable {
    /// Live rows that the server sent.
    public var rows = 0
    /// Deleted ids that the server sent, whether the replica had the rows or not.
    public var deleted = 0
    /// Rows that were removed because a replacement did not contain them.
    public var dropped = 0
    /// Pages stored.
    public var pages = 0
    /// The new watermark: the replica holds everything that the caller may see up to this commit.
    public var timestamp = SyncSeq.zero
    /// Whether the rows show the commit `timestamp`. False when others wrote during each of eight drains, and the
    /// server or the network refused to send everything in one answer. What was read is kept; the next pull goes on.
    public var isSettled = true
    /// The server's head when it sent the last page; nil when it sent none.
    public var head: SyncSeq?
    /// Whether the pull continued a drain that an earlier pull began.
    public var resumed = false
    /// Whether the watermark became void and everything was read again.
    public var resynced = false
    /// Collections that were read again, because the replica's rows did not match the server's digest.
    public var replaced: [String] = []
    /// The collections that still differ from the server's digest: the server contradicts itself.
    public var differing: [String] = []
    /// The projects that the user has lost, in a replica of all projects. Their rows are gone from it.
    public var left: [LeftProject] = []
    /// What the replica holds now. It is everything, whatever the parts are, if the server is of a version before
    /// parts.
    public var filter = PartFilter.everything

    /// Whether a project changed during the drain. If so, another pull has something to fetch.
    public var isBehind: Bool { head.map { $0 > timestamp } ?? false }
}

extension PullOutcome {
    /// The sum of two pulls; the right one came later.
    static func + (left: Self, right: Self) -> Self {
        var sum = right
        sum.rows += left.rows
        sum.deleted += left.deleted
        sum.dropped += left.dropped
        sum.pages += left.pages
        sum.resumed = left.resumed || right.resumed
        sum.resynced = left.resynced || right.resynced
        sum.left = left.left + right.left
        sum.replaced = left.replaced + right.replaced.filter { !left.replaced.contains($0) }
        return sum
    }
}

/// How far a drain has come.
public struct PullProgress: Sendable, Equatable {
    /// Rows and deleted ids so far, including those of an interrupted pull that this one continues.
    public var rows: Int64
    /// The server's estimate of the final `rows`; nil when it gave none.
    public var total: Int64?
}
