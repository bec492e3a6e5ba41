package import SyncProtocol

/// A refresh token, without the secret: that is stored as its SHA-256 alone.
package struct StoredRefreshToken: Sendable, Equatable {
    package let sessionID: String
    package let expiresAt: Instant
    /// It was used. Whoever shows it again lost the answer, has stolen it, or was stolen from.
    package var isRotated: Bool
    /// When it was used; nil for one that was not, and for one that an earlier version saw used.
    package var rotatedAt: Instant?

    package init(sessionID: String, expiresAt: Instant, isRotated: Bool = false, rotatedAt: Instant? = nil) {
        self.sessionID = sessionID
        self.expiresAt = expiresAt
        self.isRotated = isRotated
        self.rotatedAt = rotatedAt
    }
}
