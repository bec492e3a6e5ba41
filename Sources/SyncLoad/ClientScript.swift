import NIOCore

/// What one client does, as a state machine on values, without a connection or a clock. `next` says what to request.
/// The answer goes to one of the `take` methods, which throw if the server was wrong.
struct ClientScript {
    enum Order {
        case page(since: Int64, cursor: String?, isStream: Bool)
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
    /// The prefix of the ids that this run uploads.
    private let mark: String
    /// The watermark that the client has adopted.
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
        // Batch ids must differ between runs too, so the seed depends on the run's mark.
        random = SeededRandom(
            seed: mark.utf8.reduce(plan.seed ^ UInt64(number)) { SeededRandom.mixed($0 ^ UInt64($1)) })
    }

    /// Whether the present drain is inspected row by row.
    var isInspecting: Bool { if case .draining(let drain) = doing { drain.inspection != nil } else { false } }

    /// Rows that the present drain has received.
    var rowsSoFar: Int { if case .draining(let drain) = doing { drain.rowsSoFar } else { 0 } }

    /// Whether the next request starts a new action. False within a drain.
    var isIdle: Bool { if case .nothing = doing { true } else { false } }

    /// The next request; nil when the client has done all its work. `inspect` is called when a drain from 0
    /// begins, and says whether to inspect it.
    mutating func next(inspect: () -> Bool) -> Order? {
        if isIdle {
            if case .actions(let limit) = plan.extent, actions >= limit { return nil }
            if plan.profile == .storm, actions >= 1 { return nil }
            actions += 1
            begin(inspect)
        }
        switch doing {
        case .draining(let drain):
            return .page(since: drain.since, cursor: drain.cursor, isStream: drain.isStream)
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

    /// Inspects one row of the page that is being received.
    mutating func inspect(_ row: PageRow) {
        guard case .draining(var drain) = doing else { return }
        // Take the drain out of the state: its set of ids then has one owner and is not copied.
        doing = .nothing
        drain.inspection?.add(row)
        doing = .draining(drain)
    }

    /// Takes a page of the drain. Returns the drain if this was its last page. If it does not count, the next one
    /// follows at once, as with every client that shows nothing but states that were.
    mutating func take(_ page: PageFacts) throws(Mistake) -> Drain? {
        guard case .draining(var drain) = doing else { return nil }
        doing = .nothing
        guard try drain.take(page) else {
            doing = .draining(drain)
            return nil
        }
        if drain.since > 0 || plan.profile.writes { watermark = max(watermark, page.timestamp) }
        doing = drain.following.map(Doing.draining) ?? .nothing
        return drain
    }

    /// Asks for pages instead of the stream that the server has none to spare for.
    mutating func refuseStream() {
        guard case .draining(var drain) = doing else { return }
        drain.isStream = false
        doing = .draining(drain)
    }

    /// Takes the commit of an upload. Throws unless it is above all earlier ones.
    mutating func take(commit: Int64) throws(Mistake) {
        doing = .nothing
        guard commit > lastCommit else {
            throw Mistake("Commit numbers of uploads did not rise.", "\(commit) after \(lastCommit)")
        }
        lastCommit = commit
    }

    /// Takes the answer to a plain GET.
    mutating func takeBytes() { doing = .nothing }

    /// Gives up the present action.
    mutating func abandon() { doing = .nothing }
}

/// One drain and its progress. It counts if nothing was written while it ran (docs/protocol.md, "When a drain counts").
struct Drain {
    /// After so many drains that did not count, the next one is asked for in one answer.
    private static let pagedRounds = 3
    /// The most drains of one action.
    private static let mostRounds = 8

    /// 0 for a cold start.
    let since: Int64
    /// How many drains that did not count came just before.
    private let round: Int
    /// Whether it is asked for in one answer.
    var isStream: Bool
    /// Inspects every row. Nil for a drain whose pages are only compared by hash.
    var inspection: DrainInspection?
    private(set) var cursor: String?
    private(set) var timestamp: Int64?
    private(set) var prints: [UInt64] = []
    private(set) var rowsSoFar = 0
    private(set) var hasDigest = false

    init(since: Int64, inspection: DrainInspection? = nil, round: Int = 0) {
        self.since = since
        self.inspection = inspection
        self.round = round
        isStream = round >= Self.pagedRounds
    }

    var isColdStart: Bool { since == 0 }

    /// Whether it counts: the server sends digests at the end of such a drain only.
    var counts: Bool { hasDigest }

    /// The drain that follows at once; nil if this one counts, or if there were enough.
    fileprivate var following: Drain? {
        guard !counts, let timestamp, round + 1 < Self.mostRounds else { return nil }
        return Drain(since: timestamp, round: round + 1)
    }

    /// Takes the next page. Returns whether it was the last one. Throws if it can't belong to the drain.
    mutating func take(_ page: PageFacts) throws(Mistake) -> Bool {
        if let timestamp, timestamp != page.timestamp {
            throw Mistake("The timestamp changed within a drain.", "\(timestamp), then \(page.timestamp)")
        }
        guard page.timestamp >= since else {
            throw Mistake("A timestamp went back.", "since \(since), timestamp \(page.timestamp)")
        }
        guard page.hasMore == (page.cursor != nil) else {
            throw Mistake("has_more and next_cursor contradict each other.", "page \(prints.count + 1)")
        }
        if page.timestamp == since, let rows = page.rows, rows > 0 {
            throw Mistake("An unchanged project served rows.", "\(rows) rows at \(since)")
        }
        if page.hasMore, page.cursor == cursor {
            throw Mistake("A drain makes no progress: the same cursor came twice.")
        }
        timestamp = page.timestamp
        cursor = page.cursor
        hasDigest = page.hasDigest
        rowsSoFar = page.rowsSoFar
        prints.append(page.print)
        return !page.hasMore
    }
}

/// A batch of new tasks with ids that no other batch has.
struct UploadBatch: Sendable {
    let body: ByteBuffer
    let ids: [String]

    private static let notes = "Made by tidemark load; long enough for a row of the usual width, as people write them."

    /// Makes a batch. All ids of the run start with `mark`. The batch id is a random UUID drawn from `random`.
    init(mark: String, client: Int, number: Int, rows: Int, since: Int64, random: inout SeededRandom) {
        var body = ByteBuffer()
        var ids = [String]()
        body.reserveCapacity(160 + rows * 320)
        body.writeString("{\"client_batch_id\":\"\(Self.uuid(&random))\",\"last_pulled_at\":\(since)")
        body.writeString(",\"changes\":{\"tasks\":{\"created\":[")
        for row in 0..<rows {
            let id = "\(mark)-\(client)-\(number)-\(row)"
            ids.append(id)
            body.writeString(row > 0 ? ",{\"id\":\"" : "{\"id\":\"")
            body.writeString(id)
            body.writeString("\",\"name\":\"Load task \(number) of client \(client)\"")
            body.writeString(",\"wbs_path\":\"\(client).\(number % 1000).\(row)\"")
            body.writeString(
                ",\"status\":\"IN_PROGRESS\",\"duration\":\(1 + row % 20),\"percent_complete\":\(row % 101)")
            body.writeString(",\"planned_start\":\"2026-03-02\",\"notes\":\"\(Self.notes)\"}")
        }
        body.writeStaticString("]}}}")
        self.body = body
        self.ids = ids
    }

    /// A UUID of version 4 (RFC 9562).
    private static func uuid(_ random: inout SeededRandom) -> String {
        let digits = Array(Hex.text(random.next()) + Hex.text(random.next()))
        let part = { (range: Range<Int>) in String(digits[range]) }
        return "\(part(0..<8))-\(part(8..<12))-4\(part(13..<16))-8\(part(17..<20))-\(part(20..<32))"
    }
}
