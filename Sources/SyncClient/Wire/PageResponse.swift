import SyncProtocol

/// One answer of a drain, read and checked against the schema.
struct PageResponse: Sendable, Equatable {
    /// Only the collections with changes, in the schema's order.
    var changes: [CollectionChanges]
    /// What the watermark becomes with the drain's last page.
    var timestamp: SyncSeq
    /// Nil on the drain's last page.
    var nextCursor: String?
    /// The server's estimate for the whole drain.
    var total: Int64?
    /// The project's head when the server answered.
    var head: SyncSeq?
    /// What the caller's rows come to once the page is applied, by collection; nil where the server did not tell.
    var digests: [String: CollectionDigest]?

    /// Rows and ids together.
    var count: Int { rows + deleted }
    var rows: Int { changes.reduce(0) { $0 + $1.created.count + $1.updated.count } }
    var deleted: Int { changes.reduce(0) { $0 + $1.deleted.count } }
}
