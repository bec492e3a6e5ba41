/// What an operator can set about sync.
package struct SyncSettings: Sendable, Equatable {
    /// Rows of a page where the client does not say; `TIDEMARK_SYNC_PULL_PAGE_SIZE`.
    package var pullPageSize = 1000
    /// The most rows of a page; `TIDEMARK_SYNC_PULL_MAX_PAGE_SIZE`.
    package var pullMaximumPageSize = 5000
    /// The most rows of an uploaded batch; `TIDEMARK_SYNC_BATCH_MAX_ROWS`.
    package var batchMaximumRows = 500
    /// How long a batch id is remembered; `TIDEMARK_SYNC_BATCH_RETENTION_HOURS`.
    package var batchRetentionHours = 720

    package init() {}
}
