package import SyncProtocol
package import SyncStore

/// The user that a request authenticated as, and with which credential.
package struct Caller: Sendable, Hashable {
    package let userID: Int64
    package let username: ExactText
    package let isSuperuser: Bool
    /// Whether the credential may only read.
    package let isReadOnly: Bool
    /// The credential: `token:12`, `session:<id>`, `identity:<subject>`. Renewing
    /// a session or an outside token does not change it.
    package let credential: ExactText
    /// When the credential ends for good; nil if it never ends, or is renewed.
    package let expiresAt: Instant?
    /// The client's address, if the request is one that the audit list may keep.
    package private(set) var address: String?

    package init(
        userID: Int64, username: ExactText, isSuperuser: Bool = false, isReadOnly: Bool = false,
        credential: ExactText = "",
        expiresAt: Instant? = nil
    ) {
        self.userID = userID
        self.username = username
        self.isSuperuser = isSuperuser
        self.isReadOnly = isReadOnly
        self.credential = credential
        self.expiresAt = expiresAt
    }

    /// Nil for a missing or a disabled user, whom no credential authenticates.
    init?(_ user: User?, isReadOnly: Bool = false, credential: ExactText, expiresAt: Instant? = nil) {
        guard let user, !user.isDisabled else { return nil }
        self.init(
            userID: user.id, username: user.username, isSuperuser: user.isSuperuser, isReadOnly: isReadOnly,
            credential: credential, expiresAt: expiresAt)
    }
}

extension Caller {
    /// The same caller, with the client's address.
    package func from(_ address: String) -> Caller {
        var caller = self
        caller.address = address
        return caller
    }

    /// The caller as the audit list names it.
    package var actor: Actor { Actor(userID: userID, name: username, credential: credential, address: address) }

    /// Throws `read_only_token` if the credential may only read.
    package func requireWrite() throws {
        guard !isReadOnly else { throw Problem(.readOnlyToken, "This token may only read.") }
    }

    /// Throws `forbidden` unless the user is a superuser. `action` begins a sentence: "Reading the server's status".
    package func requireSuperuser(_ action: String) throws {
        guard isSuperuser else { throw Problem(.forbidden, "\(action) needs the account of a superuser.") }
    }
}
