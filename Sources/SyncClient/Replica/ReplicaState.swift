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
    /// The drain in progress, nil when there is none. It started from the watermark, which can't move
    /// until the drain ends or is dropped.
    public internal(set) var drain: Drain?
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

    /// The state after one more page.
    func advanced(by page: PageResponse) -> Self {
        var next = self
        next.step += 1
        if drain == nil { (next.drainNumber, next.answersBefore) = (drainNumber + 1, answers) }
        next.since = page.nextCursor == nil ? page.timestamp : since
        next.drain = page.nextCursor.map {
            Drain(
                cursor: $0, timestamp: page.timestamp, rows: (drain?.rows ?? 0) + Int64(page.count), total: page.total)
        }
        return next
    }

    /// The state without a drain, and with `resync` without a watermark.
    func reset(resync: Bool) -> Self {
        var next = self
        next.step += 1
        next.drain = nil
        if resync { next.since = .zero }
        if next.since == .zero { next.epoch += 1 }
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
        try Row.fetchOne(db, sql: "SELECT * FROM _replica").map(Self.init)
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
        drain = (row["cursor"] as String?).map {
            Drain(
                cursor: $0, timestamp: SyncSeq(row["drain_timestamp"] as Int64), rows: row["drain_rows"],
                total: row["drain_total"])
        }
    }

    /// Saves everything except `answers`, which may be out of date.
    func save(_ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE _replica SET schema_version = ?, since = ?, drain = ?, step = ?, answers_before = ?, epoch = ?,
                    cursor = ?, drain_timestamp = ?, drain_rows = ?, drain_total = ?
                """,
            arguments: [
                schemaVersion, since.rawValue, drainNumber, step, answersBefore, epoch,
                drain?.cursor, drain?.timestamp.rawValue, drain?.rows, drain?.total,
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
