package import SyncProtocol

/// A login with all its refresh tokens. They are valid together and end together.
package struct StoredSession: Sendable, Equatable {
    package let id: String
    package let userID: Int64
    package let createdAt: Instant
    /// When the newest refresh token expires.
    package var expiresAt: Instant

    package init(id: String, userID: Int64, createdAt: Instant, expiresAt: Instant) {
        self.id = id
        self.userID = userID
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
