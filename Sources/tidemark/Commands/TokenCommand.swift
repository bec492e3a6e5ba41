import ArgumentParser
import SyncAccounts
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQL

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Manage personal access tokens and sessions.",
        subcommands: [Create.self, List.self, Revoke.self])

    struct Create: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.writes
        static let configuration = CommandConfiguration(
            abstract: "Create a personal access token and print it. It is shown only this once.",
            discussion: "Example: tidemark token create --user alice --expires 90d --database plans.db")

        @Option(help: "The user name of the token's owner.") var user: String
        @Option(help: "A name that says what the token is for.") var name = "command line"
        @Flag(help: "Create a token that can only read.") var readOnly = false
        @Option(
            help: ArgumentHelp(
                "How long the token is valid, for example 90d, 12h or 30m. (default: it never expires)",
                valueName: "span"))
        var expires: TimeSpan?
        @OptionGroup var database: DatabaseOption

        func validate() throws {
            guard expires?.duration != .zero else {
                throw ValidationError(
                    "--expires takes a time span above 0, for example 90d. Leave it out for a token that never expires."
                )
            }
        }

        func run() async throws {
            let token = try await database.with(Self.self) {
                try await $0.services.accounts.createToken(
                    for: user, name: name, isReadOnly: readOnly, validFor: expires?.duration)
            }
            try Terminal.result(token)
        }
    }

    struct List: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.reads
        static let configuration = CommandConfiguration(
            abstract: "List a user's tokens and sessions, without their secrets.",
            discussion: "Example: tidemark token list --user alice --database plans.db")

        @Option(help: "The user name.") var user: String
        @Flag(help: "Print the tokens and sessions as JSON.") var json = false
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let all = try await database.with(Self.self) { try await $0.services.accounts.credentials(of: user) }
            let now = WallClock.system.now()
            try PrintedList(
                columns: ["id", "kind", "name", "created_at", "expires_at", "state"],
                rows: all.tokens.map { $0.line(at: now) } + all.sessions.map(\.line)
            ).show(asJSON: json)
        }
    }

    struct Revoke: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.writes
        static let configuration = CommandConfiguration(
            abstract: "Revoke a user's token or session, or all of them.",
            discussion: """
                A server that is running on the database refuses it from the next request on.
                Examples: tidemark token revoke 3 --user alice --database plans.db
                          tidemark token revoke --all --user alice --database plans.db
                """)

        @Argument(help: "The id of a token or session, from `tidemark token list`.") var id: String?
        @Option(help: "The user name.") var user: String
        @Flag(help: "Revoke all of the user's tokens and sessions.") var all = false
        @OptionGroup var database: DatabaseOption

        func validate() throws {
            guard (id == nil) == all else {
                throw ValidationError(
                    "Give one id, or --all. To list the ids: tidemark token list --user \(user)")
            }
        }

        func run() async throws {
            try await database.with(Self.self) { wiring in
                guard let id else {
                    return Terminal.message(try await wiring.services.accounts.revokeAll(of: user).sentence)
                }
                try await wiring.services.accounts.revoke(id, of: user)
                Terminal.message("Revoked \(id) of \(user).")
            }
        }
    }
}

extension StoredToken {
    fileprivate func line(at now: Instant) -> JSON {
        let isExpired = content.expiresAt.map { $0 <= now } ?? false
        return [
            "id": .int(id), "kind": .string(content.isReadOnly ? "read-only token" : "token"),
            "name": .string(content.name), "created_at": .string(content.createdAt.text),
            "expires_at": content.expiresAt.map { .string($0.text) } ?? .null,
            "state": .string(isExpired ? "expired" : "valid"),
        ]
    }
}

extension StoredSession {
    fileprivate var line: JSON {
        [
            "id": .string(id), "kind": "session", "name": "login", "created_at": .string(createdAt.text),
            "expires_at": .string(expiresAt.text), "state": "valid",
        ]
    }
}

/// A time span on the command line: a whole number and `d`,
/// `h`, `m` or `s`. Nil for other texts, and above 36,525 days.
struct TimeSpan: ExpressibleByArgument {
    let duration: Duration

    init?(argument: String) {
        let units: [Character: Int] = ["d": 86_400, "h": 3600, "m": 60, "s": 1]
        guard let unit = argument.last.flatMap({ units[$0] }), let count = Int(argument.dropLast()), count >= 0,
            count <= 36_525 * 86_400 / unit
        else { return nil }
        duration = .seconds(count * unit)
    }
}
