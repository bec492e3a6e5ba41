package import SyncProtocol

/// An account.
package struct User: Sendable, Equatable {
    package let id: Int64
    package let username: ExactText
    package var displayName: String
    package let isSuperuser: Bool
    package var isDisabled: Bool

    package init(id: Int64, username: ExactText, displayName: String, isSuperuser: Bool, isDisabled: Bool) {
        self.id = id
        self.username = username
        self.displayName = displayName
        self.isSuperuser = isSuperuser
        self.isDisabled = isDisabled
    }
}

/// Which users are meant.
package enum UserScope: Sendable, Equatable {
    case everyone
    /// Live members of live projects that this user is a live member of, and the user.
    case sharing(with: Int64)
    /// Live members.
    case members(of: String)
}

/// A personal access token that is to be stored.
package struct NewToken: Sendable, Equatable {
    package let userID: Int64
    package let name: String
    package let isReadOnly: Bool
    package let createdAt: Timestamp
    /// Nil: for ever.
    package let expiresAt: Timestamp?

    package init(userID: Int64, name: String, isReadOnly: Bool, createdAt: Timestamp, expiresAt: Timestamp?) {
        self.userID = userID
        self.name = name
        self.isReadOnly = isReadOnly
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// A personal access token, without the secret: that is stored as its SHA-256 alone.
package struct StoredToken: Sendable, Equatable {
    package let id: Int64
    package let content: NewToken

    package init(id: Int64, _ content: NewToken) {
        self.id = id
        self.content = content
    }
}

/// A login and all that came of it by refreshing: one family of tokens, which lives and dies as one.
package struct StoredSession: Sendable, Equatable {
    package let id: String
    package let userID: Int64
    package let createdAt: Timestamp
    /// When the last refresh token expires.
    package var expiresAt: Timestamp

    package init(id: String, userID: Int64, createdAt: Timestamp, expiresAt: Timestamp) {
        self.id = id
        self.userID = userID
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}

/// A refresh token, without the secret: that is stored as its SHA-256 alone.
package struct StoredRefreshToken: Sendable, Equatable {
    package let sessionID: String
    package let expiresAt: Timestamp
    /// It was used. Whoever shows it again lost the answer, has stolen it, or was stolen from.
    package var isRotated: Bool
    /// When it was used; nil for one that was not, and for one that an earlier version saw used.
    package var rotatedAt: Timestamp?

    package init(sessionID: String, expiresAt: Timestamp, isRotated: Bool = false, rotatedAt: Timestamp? = nil) {
        self.sessionID = sessionID
        self.expiresAt = expiresAt
        self.isRotated = isRotated
        self.rotatedAt = rotatedAt
    }
}
