import SyncProtocol

/// One page of a drain, read and checked against the schema.
struct PageResponse: Sendable, Equatable {
    /// Only collections that have changes, in the schema's order.
    var changes: [CollectionChanges]
    /// The watermark after the drain's last page. Every page of a drain has the same.
    var timestamp: SyncSeq
    /// Nil on the drain's last page.
    var nextCursor: String?
    /// The server's estimate of the rows and deleted ids in the whole drain; nil when it gave none.
    var total: Int64?
    /// The project's head when the server answered; nil when it sent none.
    var head: SyncSeq?
    /// The digest of the caller's rows in each collection, as they must be once this page is
    /// applied. Nil when the server sent none.
    var digests: [String: CollectionDigest]?

    /// Live rows and deleted ids together.
    var count: Int { rows + deleted }
    var rows: Int { changes.reduce(0) { $0 + $1.created.count + $1.updated.count } }
    var deleted: Int { changes.reduce(0) { $0 + $1.deleted.count } }
}
