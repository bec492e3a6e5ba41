package import SyncAccounts

/// What the server needs for accounts besides the store.
package struct Accounts: Sendable {
    package var settings: AccountSettings
    package var passwords: Passwords
    /// The outside issuer's keys; nil if there is no outside identity.
    package var keys: IssuerKeys?

    package init(
        settings: AccountSettings = AccountSettings(), passwords: Passwords = Passwords(), keys: IssuerKeys? = nil
    ) {
        self.settings = settings
        self.passwords = passwords
        self.keys = keys
    }
}
