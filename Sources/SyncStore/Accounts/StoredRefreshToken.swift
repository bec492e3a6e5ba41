package import SyncProtocol

/// A refresh token without its secret. Only the secret's SHA-256 is stored.
package struct StoredRefreshToken: Sendable, Equatable {
    package let sessionID: String
    package let expiresAt: Instant
    /// Whether it was used. If it is presented again, either the
    /// client lost the answer or somebody has stolen the token.
    package var isRotated: Bool
    /// When it was used. Nil if it was not used, and if an older version of the server recorded the use.
    package var rotatedAt: Instant?

    package init(sessionID: String, expiresAt: Instant, isRotated: Bool = false, rotatedAt: Instant? = nil) {
        self.sessionID = sessionID
        self.expiresAt = expiresAt
        self.isRotated = isRotated
        self.rotatedAt = rotatedAt
    }
}
