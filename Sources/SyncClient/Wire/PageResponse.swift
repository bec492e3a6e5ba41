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
    /// The head of the project, or of all projects, when the server answered; nil when it sent none.
    var head: SyncSeq?
    /// The digest of the caller's rows in each collection, as they must be once this page is
    /// applied. Nil when the server sent none.
    var digests: [String: CollectionDigest]?
    /// The digests by project, on the last page of a drain of all projects. Projects that were written to since have
    /// none.
    var projectDigests: [String: [String: CollectionDigest]] = [:]
    /// The projects that the user has lost. Only the first page of a drain of all projects has them.
    var left: [String: WipeReason]?
    /// The projects that begin on this page and are served as a whole.
    var replaced: [String] = []
    /// The head that each project was drained at. Only the last page of a drain of all projects has them.
    var heads: [String: SyncSeq]?

    /// Live rows and deleted ids together.
    var count: Int { rows + deleted }
    var rows: Int { changes.reduce(0) { $0 + $1.created.count + $1.updated.count } }
    var deleted: Int { changes.reduce(0) { $0 + $1.deleted.count } }
}
