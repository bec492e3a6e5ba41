package import SyncEngine
import SyncProtocol
package import SyncSchema

/// The operator's settings for sync.
package struct SyncSettings: Sendable, Equatable {
    /// Rows of a page if the client does not say; `TIDEMARK_SYNC_PULL_PAGE_SIZE`.
    package var pullPageSize = 1000
    /// The most rows of a page; `TIDEMARK_SYNC_PULL_MAX_PAGE_SIZE`.
    package var pullMaximumPageSize = 5000
    /// The size of the page cache in megabytes (MiB), 0 for none; `TIDEMARK_SYNC_PAGE_CACHE_MB`.
    package var pageCacheMegabytes = 128
    /// Whether waiting uploads share a commit; `TIDEMARK_SYNC_GROUP_COMMIT`.
    package var groupCommit = true
    /// The most rows of an uploaded batch; `TIDEMARK_SYNC_BATCH_MAX_ROWS`.
    package var batchMaximumRows = 500
    /// The collections that can be uploaded, separated by commas; all that the schema
    /// allows if it is empty. `TIDEMARK_SYNC_UPLOAD_COLLECTIONS`.
    package var uploadCollections = ""
    /// How long a batch id is remembered, in hours; `TIDEMARK_SYNC_BATCH_RETENTION_HOURS`.
    package var batchRetentionHours = 720
    /// How long the change history reaches back, in days; `TIDEMARK_SYNC_HISTORY_RETENTION_DAYS`.
    package var historyRetentionDays = 90
    /// How long a lost edit stays in its author's inbox, in days; `TIDEMARK_SYNC_INBOX_RETENTION_DAYS`.
    package var inboxRetentionDays = 30
    /// The most megabytes (MiB) of a user's lost edits in one project; `TIDEMARK_SYNC_INBOX_MB`.
    package var inboxMegabytes = 16
    /// The most megabytes (MiB) of a user's large changes in one project; `TIDEMARK_SYNC_HISTORY_MB`.
    package var historyMegabytes = 64
    /// The most megabytes (MiB) of large answers to a user in one project; `TIDEMARK_SYNC_ANSWERS_MB`.
    package var answersMegabytes = 64

    /// The most uploads of one user to one project in a minute, 0
    /// for no limit; `TIDEMARK_SYNC_UPLOAD_RATE_PER_PROJECT`.
    package var uploadRatePerProject = 60
    /// The most uploads of one user in a minute, 0 for no limit; `TIDEMARK_SYNC_UPLOAD_RATE_PER_USER`.
    package var uploadRatePerUser = 120
    /// The most writes of one user over REST to one project in a minute, 0 for no limit;
    /// `TIDEMARK_SYNC_WRITE_RATE_PER_PROJECT`.
    package var writeRatePerProject = 600
    /// The most writes of one user over REST in a minute, 0 for no limit; `TIDEMARK_SYNC_WRITE_RATE_PER_USER`.
    package var writeRatePerUser = 1200

    /// The most live rows of a project, besides its own row and its memberships; nil for any number.
    /// `TIDEMARK_PROJECT_ROWS`.
    package var projectRows: Int?
    /// The most kilobytes (KiB) of a row; `TIDEMARK_ROW_MAX_KB`.
    package var rowMaximumKilobytes = 2048

    /// Days after which a tombstone is purged, 0 for never; `TIDEMARK_SYNC_TOMBSTONE_RETENTION_DAYS`.
    package var tombstoneRetentionDays = 90
    /// How many days a tombstone waits for devices that have not passed it and were seen in that time, 0 for none;
    /// `TIDEMARK_SYNC_TOMBSTONE_WAIT_DAYS`.
    package var tombstoneWaitDays = 0
    /// How long a stream waits for a client that does not read, in seconds; `TIDEMARK_SYNC_STREAM_STALL_SECONDS`.
    package var streamStallSeconds = 30
    /// How long a stream waits in total for a client that reads
    /// slowly, in seconds; `TIDEMARK_SYNC_STREAM_WAIT_SECONDS`.
    package var streamWaitSeconds = 600
    /// The most large streams at a time; `TIDEMARK_SYNC_STREAMS`.
    package var streams = 2

    package init() {}

    var deadline: StreamDeadline {
        StreamDeadline(stall: .seconds(streamStallSeconds), total: .seconds(streamWaitSeconds))
    }

    /// The registry with only the collections uploadable that the operator names. Throws an `UploadLimitError`.
    package func limitingUploads(of registry: Registry) throws -> Registry {
        guard !uploadCollections.isEmpty else { return registry }
        let entries = uploadCollections.split(separator: ",", omittingEmptySubsequences: false)
        return try registry.limitingUploads(to: entries.map { String($0.trimming(while: \.isWhitespace)) })
    }

    /// How much a project may hold.
    var quotas: Quotas {
        var quotas = Quotas()
        quotas.projectRows = projectRows
        quotas.rowBytes = rowMaximumKilobytes << 10
        return quotas
    }

    /// How long tombstones are kept. Nil: for good.
    var tombstoneRetention: Duration? {
        tombstoneRetentionDays > 0 ? .seconds(tombstoneRetentionDays * 86_400) : nil
    }

    /// How long tombstones wait for devices. Nil: not at all.
    var tombstoneWait: Duration? { tombstoneWaitDays > 0 ? .seconds(tombstoneWaitDays * 86_400) : nil }

    /// How long the records of uploads are kept.
    package var uploadRetention: UploadRetention {
        var bytes = UploadRetention.Bytes()
        bytes.inbox = inboxMegabytes << 20
        bytes.history = historyMegabytes << 20
        bytes.answers = answersMegabytes << 20
        return UploadRetention(
            batches: .seconds(batchRetentionHours * 3600), history: .seconds(historyRetentionDays * 86_400),
            inbox: .seconds(inboxRetentionDays * 86_400), bytes: bytes)
    }
}
