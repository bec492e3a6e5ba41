/// What an operator can set about accounts.
package struct AccountSettings: Sendable, Equatable {
    /// Logins a minute from one address, 0 for no limit; `TIDEMARK_AUTH_LOGINS_PER_ADDRESS`.
    package var loginsPerAddress = 10
    /// Logins a minute into one account, 0 for no limit; `TIDEMARK_AUTH_LOGINS_PER_ACCOUNT`.
    package var loginsPerAccount = 5
    /// Refreshes a minute from one address, 0 for no limit; `TIDEMARK_AUTH_REFRESHES_PER_ADDRESS`.
    package var refreshesPerAddress = 60
    /// The peer is a reverse proxy that appends its own peer to `X-Forwarded-For`; `TIDEMARK_AUTH_TRUST_FORWARDED_FOR`.
    package var trustsForwardedFor = false
    /// The `iss` of outside tokens, empty for none; `TIDEMARK_IDENTITY_ISSUER`.
    package var identityIssuer = ""
    /// The `aud` that outside tokens must have; `TIDEMARK_IDENTITY_AUDIENCE`.
    package var identityAudience = ""
    /// Where the issuer's JWKS is: a file, or an https URL; `TIDEMARK_IDENTITY_KEYS`.
    package var identityKeys = ""
    /// The claim with the name of a new account; `TIDEMARK_IDENTITY_USERNAME_CLAIM`.
    package var identityUsernameClaim = "preferred_username"

    package init() {}
}
