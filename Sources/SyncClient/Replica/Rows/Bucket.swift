/// The list that a row is in, on a page or in a batch.
enum Bucket: String, Sendable, CaseIterable {
    case created, updated, deleted
}
