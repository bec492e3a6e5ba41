package import SyncProtocol

/// A ticket without its secret: it stands for a credential once, for a short time.
package struct StoredTicket: Sendable, Equatable {
    package let userID: Int64
    /// The credential that asked for the ticket, as `Caller` names it.
    package let credential: ExactText
    package let isReadOnly: Bool
    /// When the credential's token expires; nil if never.
    package let tokenExpiresAt: Instant?
    /// When the ticket itself can't be used any more.
    package let expiresAt: Instant

    package init(
        userID: Int64, credential: ExactText, isReadOnly: Bool, tokenExpiresAt: Instant?, expiresAt: Instant
    ) {
        (self.userID, self.credential, self.isReadOnly) = (userID, credential, isReadOnly)
        (self.tokenExpiresAt, self.expiresAt) = (tokenExpiresAt, expiresAt)
    }
}
