package import SyncProtocol

/// A login and all that came of it by refreshing: one family of tokens, which lives and dies as one.
package struct StoredSession: Sendable, Equatable {
    package let id: String
    package let userID: Int64
    package let createdAt: Instant
    /// When the last refresh token expires.
    package var expiresAt: Instant

    package init(id: String, userID: Int64, createdAt: Instant, expiresAt: Instant) {
        self.id = id
        self.userID = userID
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
