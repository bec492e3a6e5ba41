/// What a client needs to know about a page, however it was read.
struct PageFacts: Sendable, Equatable {
    var timestamp: Int64
    var cursor: String?
    var hasMore: Bool
    /// `progress.rows`: the rows of the drain up to and including this page.
    var rowsSoFar: Int
    /// Whether the page has digests. Only the last page of a drain can have them.
    var hasDigest: Bool
    /// The hash of the bytes that are the same for everybody who sees as much as this client. These are the bytes
    /// before the first own-only collection, or before `next_cursor` if there is none.
    var print: UInt64
    /// Rows and tombstones on this page; nil when it was not read row by row.
    var rows: Int?
}
