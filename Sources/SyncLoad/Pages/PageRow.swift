import SyncProtocol

/// A row on a page.
struct PageRow {
    let collection: String
    let id: String
    /// Nil for a tombstone.
    let version: ServerVersion?
}
