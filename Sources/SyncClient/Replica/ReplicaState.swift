import GRDB
public import SyncProtocol

/// Where a replica stands.
public struct ReplicaState: Sendable, Equatable {
    /// The only project that it takes rows of.
    public let project: String
    /// Of the schema that its tables follow; nil before the first pull.
    public internal(set) var schemaVersion: String?
    /// The watermark: all commits up to it are in the replica. Zero when none is complete, or the last became void; the
    /// next drain is a replacement then.
    public internal(set) var since: SyncSeq
    /// The drain under way. Its `since` is the watermark, which can't move before the drain ends or is dropped.
    public internal(set) var drain: Drain?
    /// Counts drains, restarted ones too; rows carry the number of the one that named them last.
    var drainNumber: Int64
    /// Counts changes of this state, so that a process that knows an older one finds out before it writes.
    var step: Int64
    /// Counts answered batches. No step belongs to it, so that a state in memory may know of fewer than there are.
    var answers: Int64 = 0
    /// How many there were before the drain under way, or the last one, was asked for. The drain tells of these, or the
    /// server's history is another one by now.
    var answersBefore: Int64 = 0
    /// Counts how often the watermark, or a drain from 0, became void. What is answered in a later epoch than it was
    /// sent in may be of the history that the server had before.
    var epoch: Int64 = 0

    /// A drain with pages to come.
    public struct Drain: Sendable, Equatable {
        /// Asks for the next page.
        public let cursor: String
        /// What every page has to answer, and the watermark afterwards.
        public let timestamp: SyncSeq
        /// Rows and deleted ids so far.
        public let rows: Int64
        /// The server's estimate for the whole drain.
        public let total: Int64?
    }
}

extension ReplicaState {
    /// The state after one more page of `count` rows and ids.
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

extension ReplicaState {
    static func load(_ db: Database) throws -> Self? {
        try Row.fetchOne(db, sql: "SELECT * FROM _replica").map(Self.init)
    }

    private init(_ row: Row) {
        project = row["project"]
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

    /// All but `answers`, which may be out of date.
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
