package import SyncProtocol

/// A personal access token that is to be stored.
package struct NewToken: Sendable, Equatable {
    package let userID: Int64
    package let name: String
    package let isReadOnly: Bool
    package let createdAt: Instant
    /// Nil: for ever.
    package let expiresAt: Instant?

    package init(userID: Int64, name: String, isReadOnly: Bool, createdAt: Instant, expiresAt: Instant?) {
        self.userID = userID
        self.name = name
        self.isReadOnly = isReadOnly
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
