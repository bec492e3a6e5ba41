public import SyncProtocol

/// The upload protocol as a pure state machine, like `PullLoop`. It sends batch after batch until nothing is left.
///
/// A batch is sent again unchanged until there is an answer: when an answer is lost, the batch may or may
/// not have been applied, and its id lets the server recognize it. A batch is given up only when an answer
/// says that nothing of it was applied.
struct PushLoop: Sendable, Equatable {
    /// What to do next. `wipe`, `finish`, `pullFirst` and `fail` end the push. Every other action is answered by
    /// an event, named after the arrow.
    enum Action: Sendable, Equatable {
        /// → `prepared`.
        case prepare(BatchLimits)
        case send(UploadBatch, timeout: Duration)
        case wait(Duration)
        /// → `settled`.
        case settle(UploadBatch, UploadAnswer)
        /// Nothing of the batch was applied; → `dropped`.
        case drop(UploadBatch)
        /// The batch's only row can't be sent at all; → `dropped`.
        case hold(UploadBatch, UploadAnswer.Refusal)
        /// Refused rows may be acceptable by now and go into batches once more; → `dropped`.
        case retryRefused
        case wipe(WipeReason, detail: String)
        case finish(PushOutcome)
        /// The watermark is void, or the schema is out of date. After a pull, the edits that remain can be sent.
        case pullFirst(PushOutcome)
        case fail(SyncError)
    }

    /// What happened.
    enum Event: Sendable, Equatable {
        /// `held` counts the rows that were held back because the server takes no edits of their collection any more,
        /// `aside` those that were set aside because it has removed the collection.
        case prepared(Replica.NextBatch, held: Int = 0, aside: Int = 0)
        case answered(TransportResponse)
        case failed(TransportError)
        case waited
        /// Nil when another process has settled the batch.
        case settled(Replica.Receipts?)
        case dropped
    }

    private(set) var outcome = PushOutcome()
    /// The reason for the present wait, or the last one.
    private(set) var trouble: SyncTrouble?
    private var limits: BatchLimits
    private var retry: Retry
    private var batch: UploadBatch?
    /// What follows when the batch is dropped; nil for the next batch.
    private var ending: Action?
    private var reusedIDs = 0
    /// Whether a batch was applied after rows of an earlier one were refused. It may have removed what they were
    /// refused for, such as another row with their key. Or the server has refused rows of this batch before, and says
    /// what it said then.
    private var mayTakeRefused = false
    private var isReplayed = false
    private var hasRetried = false

    private let scope: SyncScope

    /// `seed` decides the jitter of the waits.
    init(options: SyncOptions, scope: SyncScope = .project(""), seed: UInt64) {
        self.scope = scope
        limits = BatchLimits(rows: options.batchRows, bytes: options.batchBytes)
        retry = Retry(options, seed: seed)
    }

    /// The first action.
    func start() -> Action { .prepare(limits) }

    /// The next action. `now` must never go back.
    mutating func handle(_ event: Event, at now: Duration) -> Action {
        switch event {
        case .prepared(let next, let held, let aside):
            outcome.refused += held
            outcome.setAside += aside
            return prepared(next, at: now)
        case .answered(let response): return batch.map { judge(response, $0, at: now) } ?? start()
        case .failed(let error):
            if error == .timeout { retry.timedOut() }
            return error.isTransient ? again(after: nil, SyncTrouble(error), at: now) : .fail(.transport(error))
        case .waited: return send(at: now)
        case .settled(let receipts):
            if let receipts { count(receipts) }
            return start()
        case .dropped: return ending ?? start()
        }
    }
}

extension PushLoop {
    private mutating func prepared(_ next: Replica.NextBatch, at now: Duration) -> Action {
        switch next {
        case .batch(let batch):
            self.batch = batch
            retry.begin(at: now)
            return send(at: now)
        case .nothing: return mayTakeRefused && !hasRetried ? retryRefused() : .finish(outcome)
        case .pullFirst: return .pullFirst(outcome)
        }
    }

    private func send(at now: Duration) -> Action {
        batch.map { .send($0, timeout: retry.timeout(at: now)) } ?? start()
    }

    private mutating func again(after asked: Duration?, _ trouble: SyncTrouble, at now: Duration) -> Action {
        self.trouble = trouble
        return retry.delay(after: asked, at: now).map(Action.wait) ?? .fail(.gaveUp(reason: trouble.reason))
    }

    /// Sends the refused rows once more. They are counted again.
    private mutating func retryRefused() -> Action {
        hasRetried = true
        ending = nil
        outcome.refused = 0
        return .retryRefused
    }

    private mutating func count(_ receipts: Replica.Receipts) {
        if outcome.refused > 0, receipts.applied > 0 { mayTakeRefused = true }
        if isReplayed, receipts.refused > 0 { mayTakeRefused = true }
        outcome.applied += receipts.applied
        outcome.setAside += receipts.setAside
        outcome.refused += receipts.refused
    }
}

// MARK: Answers

extension PushLoop {
    private mutating func judge(_ response: TransportResponse, _ batch: UploadBatch, at now: Duration) -> Action {
        isReplayed = response.headers["idempotent-replayed"] == "true"
        switch Verdict(response) {
        case .success(let json): return answered(json, batch)
        case .unchanged: return .fail(.violation("it answered 304 to an upload"))
        case .retry(let after, let reason): return again(after: after, SyncTrouble(answer: reason), at: now)
        // No answer about one project concerns the others.
        case .wipe(let reason, let detail) where scope == .allProjects:
            return .fail(.refused(status: response.status, code: reason.rawValue, detail: detail))
        case .wipe(let reason, let detail): return .wipe(reason, detail: detail)
        case .resync: return drop(batch, then: .pullFirst(outcome))
        case .restart(let detail):
            return .fail(.refused(status: response.status, code: ErrorCode.invalidCursor.rawValue, detail: detail))
        case .refuse(let error): return refused(error, response: response, batch: batch)
        }
    }

    private mutating func answered(_ json: JSON, _ batch: UploadBatch) -> Action {
        do {
            let answer = try UploadAnswer(json, to: batch.id, allProjects: scope == .allProjects)
            outcome.batches += 1
            outcome.timestamp = answer.timestamp
            return .settle(batch, answer)
        } catch let error as SyncError {
            return .fail(error)
        } catch {
            return .fail(.violation("\(error)"))
        }
    }

    /// Decides what becomes of a batch that the server refused as a whole.
    ///
    /// The batch is given up if the code proves that the server looked for an earlier upload with this id and found
    /// none. Nothing of it was applied then, and its rows go into other batches. Without such a code, or if the server
    /// refused before it looked (`docs/protocol.md#retries`), the batch stays. If one row may be the cause of the
    /// refusal, it is found by halving the batch.
    private mutating func refused(_ error: SyncError, response: TransportResponse, batch: UploadBatch) -> Action {
        guard case .refused(let status, let code, let detail) = error else { return .fail(error) }
        switch (status, ErrorCode(rawValue: code)) {
        case (400, .batchTooLarge): return shrink(to: response.limit ?? limits.rows / 2, batch, detail)
        case (413, _): return shrink(to: batch.rows.count / 2, batch, detail)
        case (400, .collectionNotUploadable): return drop(batch, then: .pullFirst(outcome))
        case (422, .batchIDReused) where reusedIDs < 3:
            reusedIDs += 1
            return drop(batch, then: nil)
        case (_, .invalidRows), (_, .inUse), (_, .lastOwner), (_, .cyclicDependency), (_, .idUnavailable),
            (_, .invalidJSON):
            return shrink(to: batch.rows.count / 2, batch, detail, code: code)
        case (_, .forbidden), (_, .fieldForbidden), (_, .projectArchived), (400, .some), (409, .some), (422, .some):
            return drop(batch, then: .fail(error))
        default: return .fail(error)
        }
    }

    private mutating func shrink(
        to rows: Int, _ batch: UploadBatch, _ detail: String, code: String = ErrorCode.bodyTooLarge.rawValue
    ) -> Action {
        guard batch.rows.count > 1, limits.rows > 1 else {
            return .hold(batch, .init(field: nil, code: code, detail: detail))
        }
        limits.rows = max(1, min(rows, batch.rows.count - 1))
        return drop(batch, then: nil)
    }

    private mutating func drop(_ batch: UploadBatch, then ending: Action?) -> Action {
        self.ending = ending
        return .drop(batch)
    }
}

extension TransportResponse {
    /// How many rows a batch may have, according to the problem document; nil when it does not say.
    fileprivate var limit: Int? { (try? JSON(parsing: body))?["limit"]?.int.flatMap { Int(exactly: $0) } }
}

/// How much a batch may hold: `rows` rows, and `bytes` bytes of JSON for the rows alone.
struct BatchLimits: Sendable, Equatable {
    var rows: Int
    var bytes: Int

    /// The first rows that fit together; at least one, even if it is too large.
    func prefix(of rows: [SentRow]) -> [SentRow] { prefix(of: rows.map { [$0] }) }

    /// The rows of the first groups that fit together; at least one group, even if it is too large.
    func prefix(of groups: [[SentRow]]) -> [SentRow] {
        var result = [SentRow]()
        var bytes = 0
        for group in groups {
            bytes += group.reduce(0) { $0 + $1.json.text.utf8.count }
            let fits = result.count + group.count <= rows && bytes <= self.bytes
            guard result.isEmpty || fits else { break }
            result += group
            guard fits else { break }
        }
        return result
    }
}

/// What a finished push did.
public struct PushOutcome: Sendable, Equatable {
    /// Rows that the server accepted. They include deletions, and deletions of rows that it did not have any more.
    public var applied = 0
    /// Rows whose edit the server did not accept, or whose collection it has removed. What was written is in
    /// `Replica.setAside()`.
    public var setAside = 0
    /// Rows that the server did not accept and that keep their edits: new rows, and rows of collections that it takes
    /// no edits of any more. They are sent again after the next edit here. `Replica.refused()` has the reasons.
    public var refused = 0
    /// Batches that were answered.
    public var batches = 0
    /// The commit of the last batch to one project. It is not a watermark: only a pull delivers what was committed
    /// before it.
    public var timestamp: SyncSeq?

    /// All rows that were answered or given up.
    public var rows: Int { applied + setAside + refused }

    /// Whether a pull has something new to fetch.
    public var isWorthAPull: Bool { batches > 0 }
}

extension PushOutcome {
    /// The sum of two pushes; the right one came later.
    static func + (left: Self, right: Self) -> Self {
        PushOutcome(
            applied: left.applied + right.applied, setAside: left.setAside + right.setAside,
            refused: left.refused + right.refused, batches: left.batches + right.batches,
            timestamp: right.timestamp ?? left.timestamp)
    }
}
