package import SyncProtocol

/// A personal access token before it is stored.
package struct NewToken: Sendable, Equatable {
    package let userID: Int64
    package let name: String
    package let isReadOnly: Bool
    package let createdAt: Instant
    /// Nil if the token never expires.
    package let expiresAt: Instant?

    package init(userID: Int64, name: String, isReadOnly: Bool, createdAt: Instant, expiresAt: Instant?) {
        self.userID = userID
        self.name = name
        self.isReadOnly = isReadOnly
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
