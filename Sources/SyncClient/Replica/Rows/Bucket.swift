import SyncProtocol

/// The list of a page, or of a batch, that a row is in.
enum Bucket: String, Sendable, CaseIterable {
    case created, updated, deleted
}
