/// What an operator can set about sync.
public struct SyncSettings: Sendable, Equatable {
    /// Rows of a page where the client does not say; `TIDEMARK_SYNC_PULL_PAGE_SIZE`.
    public var pullPageSize = 1000
    /// The most rows of a page; `TIDEMARK_SYNC_PULL_MAX_PAGE_SIZE`.
    public var pullMaximumPageSize = 5000
    /// The most rows of an uploaded batch; `TIDEMARK_SYNC_BATCH_MAX_ROWS`.
    public var batchMaximumRows = 500
    /// How long a batch id is remembered; `TIDEMARK_SYNC_BATCH_RETENTION_HOURS`.
    public var batchRetentionHours = 720

    public init() {}
}
