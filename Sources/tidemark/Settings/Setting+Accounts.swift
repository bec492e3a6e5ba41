import SyncAccounts

extension Setting {
    static let accounts = [
        rate("auth.loginsPerAddress", "The most failed logins from one address in a minute.") {
            \.accounts.loginsPerAddress
        },
        rate(
            "auth.loginsPerAccount",
            "The most failed logins into one account from one address in a minute; ten times as many from all."
        ) { \.accounts.loginsPerAccount },
        rate("auth.refreshesPerAddress", "The most refreshes from one address in a minute.") {
            \.accounts.refreshesPerAddress
        },
        Setting(
            key: "auth.trustForwardedFor",
            summary: "Whether the server is behind a proxy that appends to X-Forwarded-For.",
            kind: .flag { \.accounts.trustsForwardedFor }),
        Setting(
            key: "identity.issuer", summary: "The iss claim of an outside issuer's tokens.",
            kind: .text { \.accounts.identityIssuer }),
        Setting(
            key: "identity.audience", summary: "The aud claim that those tokens must have.",
            kind: .text { \.accounts.identityAudience }),
        Setting(
            key: "identity.keys", summary: "The issuer's JWKS: a file, or an https URL.",
            kind: .text { \.accounts.identityKeys }),
        Setting(
            key: "identity.usernameClaim", summary: "The claim with the name of a new account.",
            kind: .text { \.accounts.identityUsernameClaim }),
    ]

    private static func rate(
        _ key: String, _ summary: String, path: @escaping @Sendable () -> WritableKeyPath<ServerSettings, Int>
    ) -> Setting { Setting(key: key, summary: summary, kind: .number(0...1_000_000, path)) }
}
