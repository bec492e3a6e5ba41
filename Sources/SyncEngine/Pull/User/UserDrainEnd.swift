import SyncProtocol

/// What the last page of a user-wide drain says of its projects.
struct UserDrainEnd: Sendable {
    /// The head of each project that the drain was made at.
    var heads: [String: SyncSeq] = [:]
    /// The digests of each project, in JSON; null for one that has changed meanwhile.
    var digests: [String: JSON] = [:]
}
