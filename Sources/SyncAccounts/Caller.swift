package import SyncProtocol
import SyncStore

/// Who is asking, as authentication found out.
package struct Caller: Sendable, Hashable {
    package let userID: Int64
    package let username: ExactText
    package let isSuperuser: Bool
    /// The credential may only read.
    package let isReadOnly: Bool
    /// Which credential it was: `token:12`, `session:<id>`, `identity:<subject>`. The same for as long as it is
    /// renewed.
    package let credential: ExactText
    /// When the credential ends for good; nil for one that does not, or that is renewed.
    package let expiresAt: Instant?

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

    /// Nil for a disabled user, whom no credential lets in.
    init?(_ user: User?, isReadOnly: Bool = false, credential: ExactText, expiresAt: Instant? = nil) {
        guard let user, !user.isDisabled else { return nil }
        self.init(
            userID: user.id, username: user.username, isSuperuser: user.isSuperuser, isReadOnly: isReadOnly,
            credential: credential, expiresAt: expiresAt)
    }
}

extension Caller {
    /// Throws `read_only_token`.
    package func requireWrite() throws {
        guard !isReadOnly else { throw Problem(.readOnlyToken, "This token may only read.") }
    }
}
