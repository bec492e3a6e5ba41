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
    func advanced(by page: PullPage) -> Self {
        var next = self
        next.step += 1
        if drain == nil { next.drainNumber += 1 }
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
        drain = (row["cursor"] as String?).map {
            Drain(
                cursor: $0, timestamp: SyncSeq(row["drain_timestamp"] as Int64), rows: row["drain_rows"],
                total: row["drain_total"])
        }
    }

    func save(_ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE _replica SET schema_version = ?, since = ?, drain = ?, step = ?,
                    cursor = ?, drain_timestamp = ?, drain_rows = ?, drain_total = ?
                """,
            arguments: [
                schemaVersion, since.rawValue, drainNumber, step,
                drain?.cursor, drain?.timestamp.rawValue, drain?.rows, drain?.total,
            ])
    }
}
