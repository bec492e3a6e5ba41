/// What one client does: a state machine on values, without a connection and without a clock. `next` says what to ask
/// for; the answer goes to one of the `take`s, which throw where the server was wrong.
struct ClientScript {
    enum Order {
        case page(since: Int64, cursor: String?)
        case upload(UploadBatch)
        case get
    }

    private enum Doing {
        case nothing
        case draining(Drain)
        case uploading(UploadBatch)
        case getting
    }

    let number: Int
    private let plan: LoadPlan
    /// What ids of this run begin with.
    private let mark: String
    /// What the client has adopted.
    private(set) var watermark: Int64
    private var lastCommit: Int64 = 0
    private var doing = Doing.nothing
    private var actions = 0
    private var random: SeededRandom

    init(number: Int, plan: LoadPlan, mark: String, watermark: Int64) {
        self.number = number
        self.plan = plan
        self.mark = mark
        self.watermark = watermark
        // Batch ids must differ between runs as well: the mark does.
        random = SeededRandom(
            seed: mark.utf8.reduce(plan.seed ^ UInt64(number)) { SeededRandom.mixed($0 ^ UInt64($1)) })
    }

    /// Whether every row of the drain under way is looked at.
    var isInspecting: Bool { if case .draining(let drain) = doing { drain.inspection != nil } else { false } }

    /// Rows that the drain under way has had.
    var rowsSoFar: Int { if case .draining(let drain) = doing { drain.rowsSoFar } else { 0 } }

    /// Whether what comes next begins something new, which it does not within a drain.
    var isIdle: Bool { if case .nothing = doing { true } else { false } }

    /// The next request; nil where the client has done all that it was to do. `inspect` is asked when a drain from 0
    /// begins.
    mutating func next(inspect: () -> Bool) -> Order? {
        if isIdle {
            if case .actions(let limit) = plan.extent, actions >= limit { return nil }
            if plan.profile == .storm, actions >= 1 { return nil }
            actions += 1
            begin(inspect)
        }
        switch doing {
        case .draining(let drain): return .page(since: drain.since, cursor: drain.cursor)
        case .uploading(let batch): return .upload(batch)
        case .getting, .nothing: return .get
        }
    }

    private mutating func begin(_ inspect: () -> Bool) {
        switch plan.profile {
        case .coldStart, .storm: beginColdStart(inspect)
        case .poll: doing = .draining(Drain(since: watermark))
        case .upload: beginUpload()
        case .get: doing = .getting
        case .mixed(let shares):
            let number = random.below(100)
            if number < shares.poll { return doing = .draining(Drain(since: watermark)) }
            if number < shares.poll + shares.upload { beginUpload() } else { beginColdStart(inspect) }
        }
    }

    private mutating func beginColdStart(_ inspect: () -> Bool) {
        doing = .draining(Drain(since: 0, inspection: inspect() ? DrainInspection(mark: mark) : nil))
    }

    private mutating func beginUpload() {
        doing = .uploading(
            UploadBatch(
                mark: mark, client: number, number: actions, rows: plan.rowsPerBatch, since: watermark, random: &random)
        )
    }

    /// Looks at a row of the page that comes.
    mutating func inspect(_ row: PageRow) {
        guard case .draining(var drain) = doing else { return }
        // Taken out, so that there is one owner of the set of ids, and no copy of it.
        doing = .nothing
        drain.inspection?.add(row)
        doing = .draining(drain)
    }

    /// Takes a page of the drain. Returns the drain where that was its last.
    mutating func take(_ page: PageFacts) throws(Mistake) -> Drain? {
        guard case .draining(var drain) = doing else { return nil }
        doing = .nothing
        guard try drain.take(page) else {
            doing = .draining(drain)
            return nil
        }
        if drain.since > 0 || plan.profile.writes { watermark = max(watermark, page.timestamp) }
        return drain
    }

    /// Takes the commit of an upload, which is a number of its own, and later than the ones before.
    mutating func take(commit: Int64) throws(Mistake) {
        doing = .nothing
        guard commit > lastCommit else {
            throw Mistake("Commit numbers of uploads did not rise.", "\(commit) after \(lastCommit)")
        }
        lastCommit = commit
    }

    mutating func takeBytes() { doing = .nothing }

    /// Gives up what is under way.
    mutating func abandon() { doing = .nothing }
}
