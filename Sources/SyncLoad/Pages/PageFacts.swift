import SyncProtocol

/// What a client needs to know of a page, whatever way it was read.
struct PageFacts: Sendable, Equatable {
    var timestamp: Int64
    var cursor: String?
    var hasMore: Bool
    /// `progress.rows`: rows of the drain up to here.
    var rowsSoFar: Int
    /// Whether the page has digests, which only a last one can.
    var hasDigest: Bool
    /// The hash of what is the same for everybody who sees as much as this client: the bytes in front of the first
    /// own-only collection; where there is none, in front of `next_cursor`.
    var print: UInt64
    /// Rows and tombstones on this page; nil where it was not read row by row.
    var rows: Int?
}
