/// What an operator can set about accounts.
package struct AccountSettings: Sendable, Equatable {
    /// Failed logins per minute from one address, which may be a whole office; 0 means no limit.
    /// `TIDEMARK_AUTH_LOGINS_PER_ADDRESS`.
    package var loginsPerAddress = 100
    /// Failed logins per minute into one account from one address, and ten times as many from all; 0 means no limit.
    /// `TIDEMARK_AUTH_LOGINS_PER_ACCOUNT`.
    package var loginsPerAccount = 5
    /// Refreshes per minute from one address; 0 means no limit. `TIDEMARK_AUTH_REFRESHES_PER_ADDRESS`.
    package var refreshesPerAddress = 60
    /// Whether the peer is a reverse proxy that appends its own peer to `X-Forwarded-For`.
    /// `TIDEMARK_AUTH_TRUST_FORWARDED_FOR`.
    package var trustsForwardedFor = false
    /// The `iss` of outside tokens; empty if there is no outside issuer. `TIDEMARK_IDENTITY_ISSUER`.
    package var identityIssuer = ""
    /// The `aud` that outside tokens must have. `TIDEMARK_IDENTITY_AUDIENCE`.
    package var identityAudience = ""
    /// The issuer's JWKS: a file, or an https URL. `TIDEMARK_IDENTITY_KEYS`.
    package var identityKeys = ""
    /// The claim with the user name of a new account. `TIDEMARK_IDENTITY_USERNAME_CLAIM`.
    package var identityUsernameClaim = "preferred_username"

    package init() {}
}
