import GRDB
public import SyncProtocol

/// How far a replica is synced.
public struct ReplicaState: Sendable, Equatable {
    /// What the replica holds.
    public let scope: SyncScope
    /// The version of the schema that the tables follow; nil before the first pull.
    public internal(set) var schemaVersion: String?
    /// The watermark: the replica holds all commits up to it. Zero before the first complete drain, and when the
    /// watermark became void; the next drain is then a replacement.
    public internal(set) var since: SyncSeq
    /// The commit that the rows show: all that the user could see at it and nothing else, with the edits made here on
    /// top. It never goes back, except when the server begins a new history.
    ///
    /// It is nil before the first drain that counts (`counts`), and while rows are stored as they come: in a first
    /// sync, in a replacement, and in a delta above `SyncOptions.keptRows`.
    public internal(set) var settled: SyncSeq?
    /// The drain in progress, nil when there is none. The watermark can't move until the drain ends or is dropped.
    public internal(set) var drain: Drain?
    /// The filter that the watermark is good for: the replica holds this part of what the caller may see.
    public internal(set) var filter = PartFilter.everything
    /// The filter of the drain in progress. If pages of it are in the tables, it outlasts the drain: their rows are of
    /// neither filter alone, so the next drain asks for the same one.
    var target: PartFilter?
    /// What was read and waits for a drain that counts. Only a settled replica has any: its rows do not change
    /// meanwhile, and `drain` waits, too.
    var kept = Kept()
    /// Counts drains, including restarted ones. Each row carries the number of the last drain that delivered it.
    var drainNumber: Int64
    /// Counts changes of this state. A process that knows an older state finds out before it writes.
    var step: Int64
    /// Counts answered batches. An answer does not change `step`, so a state in memory
    /// may know of fewer than there are.
    var answers: Int64 = 0
    /// The value of `answers` when the present or last drain was requested. The drain contains these batches, or the
    /// server's history has been replaced.
    var answersBefore: Int64 = 0
    /// Counts how often the watermark, or a drain from 0, became void. If a batch is answered in a later epoch than it
    /// was sent in, the answer may belong to the server's former history.
    var epoch: Int64 = 0

    /// The pages that wait.
    struct Kept: Sendable, Equatable {
        /// The timestamp of the last whole drain among them; nil if there is none.
        var reached: SyncSeq?
        /// The filter of that drain.
        var filter: PartFilter?
        /// Rows and deleted ids in all of them.
        var rows: Int64 = 0
    }

    /// A drain that is not finished.
    public struct Drain: Sendable, Equatable {
        /// The cursor that requests the next page.
        public let cursor: String
        /// The timestamp that every page must have. It becomes the watermark at the end.
        public let timestamp: SyncSeq
        /// Rows and deleted ids received so far.
        public let rows: Int64
        /// The server's estimate of `rows` for the whole drain; nil when it gave none.
        public let total: Int64?
    }
}

extension ReplicaState {
    /// The project whose rows the replica holds; nil for all projects.
    public var project: String? { scope.project }

    /// How far the client has come on the way to the next settled state; nil when nothing is under way.
    public var progress: PullProgress? {
        guard drain != nil || kept.rows > 0 else { return nil }
        return PullProgress(rows: settled == nil ? drain?.rows ?? 0 : kept.rows, total: drain?.total)
    }

    /// The number that the next drain is asked from.
    var asked: SyncSeq { kept.reached ?? since }

    /// The filter that this number is good for.
    var askedFilter: PartFilter { kept.filter ?? filter }

    /// Whether a part of what the caller may see is in the file, or on the way there.
    fileprivate var isOfPart: Bool { [filter, target, kept.filter].contains { $0?.isEverything == false } }

    /// Whether pages wait.
    var hasKept: Bool { settled != nil && (drain != nil || kept.reached != nil) }

    /// Whether a drain that ends with `page` counts: nothing was written while it ran, so all of its pages were read at
    /// one commit. The head never falls, so it has not moved if it is the drain's timestamp at the end, also if the
    /// drain was cut and taken up again. Where the head does not get through, only a single answer is of one commit.
    func counts(_ page: PageResponse) -> Bool {
        guard page.nextCursor == nil else { return false }
        return page.head.map { $0 == page.timestamp } ?? (drain == nil)
    }

    /// The state after one more page is stored in its tables.
    func advanced(by page: PageResponse) -> Self {
        var next = self
        next.step += 1
        if drain == nil { (next.drainNumber, next.answersBefore) = (drainNumber + 1, answers) }
        next.since = page.nextCursor == nil ? page.timestamp : since
        next.filter = page.nextCursor == nil ? page.filter : filter
        next.settled = counts(page) ? page.timestamp : nil
        next.drain = drain(after: page)
        next.target = next.drain.map { _ in page.filter }
        return next
    }

    /// The state after one more page waits.
    func keeping(_ page: PageResponse) -> Self {
        var next = self
        next.step += 1
        next.drain = drain(after: page)
        next.target = next.drain.map { _ in page.filter }
        if next.drain == nil {
            next.kept.reached = page.timestamp
            next.kept.filter = page.filter
        }
        next.kept.rows += Int64(page.count)
        return next
    }

    private func drain(after page: PageResponse) -> Drain? {
        page.nextCursor.map {
            Drain(
                cursor: $0, timestamp: page.timestamp, rows: (drain?.rows ?? 0) + Int64(page.count), total: page.total)
        }
    }

    /// The state without the pages that wait.
    var withoutKept: Self {
        var next = self
        if settled != nil { (next.drain, next.target) = (nil, nil) }
        next.kept = Kept()
        return next
    }

    /// The state without a drain and without pages that wait, and with `resync` without a watermark.
    func reset(resync: Bool) -> Self {
        var next = withoutKept
        next.step += 1
        next.drain = nil
        if resync { (next.since, next.settled) = (.zero, nil) }
        if next.since == .zero {
            next.epoch += 1
            // The next drain replaces everything, whatever its filter is.
            next.filter = .everything
            next.target = nil
        }
        return next
    }
}

// MARK: The table `_replica`

extension SyncScope {
    /// Reads the column `project`, which is empty in a replica of all projects.
    init(stored: String) { self = stored.isEmpty ? .allProjects : .project(stored) }

    var stored: String { project ?? "" }
}

extension ReplicaState {
    static func load(_ db: Database) throws -> Self? {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM _replica") else { return nil }
        var state = ReplicaState(row)
        try KeptPages(db: db).load(into: &state)
        return state
    }

    private init(_ row: Row) {
        scope = SyncScope(stored: row["project"])
        schemaVersion = row["schema_version"]
        since = SyncSeq(row["since"] as Int64)
        drainNumber = row["drain"]
        step = row["step"]
        answers = row["answers"]
        answersBefore = row["answers_before"]
        epoch = row["epoch"]
        filter = PartFilter(stored: row["filter"])
        target = (row["target"] as String?).map { PartFilter(stored: $0) }
        drain = (row["cursor"] as String?).map {
            Drain(
                cursor: $0, timestamp: SyncSeq(row["drain_timestamp"] as Int64), rows: row["drain_rows"],
                total: row["drain_total"])
        }
    }

    /// Saves everything except `answers`, which may be out of date. A drain that waits is not in `_replica`: older
    /// versions of this library find a replica without one.
    func save(_ db: Database) throws {
        let (drain, target) = settled == nil ? (drain, target) : (nil, nil)
        try ReplicaFile.note(isOfPart: isOfPart, scope, db)
        try KeptPages(db: db).note(self)
        try db.execute(
            sql: """
                UPDATE _replica SET schema_version = ?, since = ?, drain = ?, step = ?, answers_before = ?, epoch = ?,
                    cursor = ?, drain_timestamp = ?, drain_rows = ?, drain_total = ?, filter = ?, target = ?
                """,
            arguments: [
                schemaVersion, since.rawValue, drainNumber, step, answersBefore, epoch,
                drain?.cursor, drain?.timestamp.rawValue, drain?.rows, drain?.total, filter.stored, target?.text,
            ])
    }
}

/// What a replica holds and a remote serves.
public enum SyncScope: Sendable, Hashable {
    /// One project, by its id.
    case project(String)
    /// All projects that the user is a member of.
    case allProjects

    /// The project's id; nil for all projects.
    public var project: String? {
        switch self {
        case .project(let id): id
        case .allProjects: nil
        }
    }
}
