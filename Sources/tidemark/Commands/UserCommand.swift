import ArgumentParser
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQL

struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Manage accounts.",
        subcommands: [
            Add.self, List.self, Password.self, Disable.self, Enable.self, Remove.self, Rename.self, Link.self,
        ])

    struct Add: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.writes
        static let configuration = CommandConfiguration(
            abstract: "Add an account and print its id. Without a password, it can only use tokens.",
            discussion: "Example: tidemark user add alice --display-name \"Alice Ash\" --database plans.db")

        @Argument(help: "The user name.") var name: String
        @Option(help: "The name that others see.") var displayName: String?
        @Flag(help: "Let the account do everything in every project.") var superuser = false
        @Flag(help: "Read the account's password from the first line of stdin.") var passwordStdin = false
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let password = passwordStdin ? try StandardInput.password() : nil
            let user = try await database.withNew {
                try await $0.services.accounts.addUser(
                    name, displayName: displayName, isSuperuser: superuser, password: password)
            }
            try Terminal.result("\(user.id)")
        }
    }

    struct List: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.reads
        static let configuration = CommandConfiguration(
            abstract: "List the accounts.", discussion: "Example: tidemark user list --database plans.db")

        @Flag(help: "Print the accounts as JSON.") var json = false
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let users = try await database.with(Self.self) { try await $0.services.accounts.users() }
            try PrintedList(columns: ["id", "username", "display_name", "state", "superuser"], rows: users.map(\.json))
                .show(asJSON: json)
        }
    }
}

extension User {
    /// The account in a list.
    var json: JSON {
        [
            "id": .int(id), "username": .string(username.rawValue), "display_name": .string(displayName),
            "state": .string(isDisabled ? "disabled" : "active"), "superuser": .bool(isSuperuser),
        ]
    }
}

extension UserCommand {
    struct Password: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.writes
        static let configuration = CommandConfiguration(
            abstract: "Change an account's password, and end its sessions.",
            discussion: "Example: tidemark user password alice --password-stdin --database plans.db < password.txt")

        @Argument(help: "The user name.") var name: String
        @Flag(help: "Required: read the password from the first line of stdin. There is no other way to give it.")
        var passwordStdin = false
        @Flag(help: "Also revoke the personal access tokens.") var revokeTokens = false
        @OptionGroup var database: DatabaseOption

        func validate() throws {
            guard passwordStdin else {
                throw ValidationError("Pass --password-stdin and write the password to stdin.")
            }
        }

        func run() async throws {
            let password = try StandardInput.password()
            let (ended, left) = try await database.with(Self.self) { wiring in
                let ended = try await wiring.services.accounts.setPassword(
                    password, of: name, revokesTokens: revokeTokens)
                return (ended, try await wiring.services.accounts.credentials(of: name).tokens.count)
            }
            Terminal.message("\(name) has a new password. \(ended.sentence)")
            guard left > 0 else { return }
            Terminal.message(
                "\(counted(left, "personal access token")) of \(name) can still be used. "
                    + "To revoke them: tidemark token revoke --all --user \(name)")
        }
    }

    struct Disable: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.writes
        static let configuration = CommandConfiguration(
            abstract: "Disable an account and end its sessions.",
            discussion: """
                The account's password and tokens are refused until `tidemark user enable`. Its rows stay.
                Example: tidemark user disable alice --revoke-tokens --database plans.db
                """)

        @Argument(help: "The user name.") var name: String
        @Flag(
            help: "Also revoke the personal access tokens. Otherwise they are valid again after `tidemark user enable`."
        )
        var revokeTokens = false
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let ended = try await database.with(Self.self) {
                try await $0.services.accounts.disableUser(name, revokesTokens: revokeTokens)
            }
            Terminal.message("\(name) is disabled. \(ended.sentence)")
        }
    }

    struct Enable: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.writes
        static let configuration = CommandConfiguration(
            abstract: "Enable a disabled account. Its password and tokens are valid again.",
            discussion: "Example: tidemark user enable alice --database plans.db")

        @Argument(help: "The user name.") var name: String
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            try await database.with(Self.self) { try await $0.services.accounts.enableUser(name) }
        }
    }

    struct Remove: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.writes
        static let configuration = CommandConfiguration(
            abstract: "Remove a user from all projects, and revoke all credentials of the user.",
            discussion: """
                Rows stay, with the user's name on them. So the account stays too, disabled and without a password, \
                and nobody else can get its name. `tidemark user enable` enables it again, without any membership.
                Example: tidemark user remove alice --database plans.db
                """)

        @Argument(help: "The user name.") var name: String
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let count = try await database.with(Self.self) { try await $0.services.members.removeUser(name) }
            Terminal.message(
                "\(name) is no longer a member of any project (\(counted(count, "project"))), and can't log in. "
                    + "Rows stay.")
        }
    }
}

extension Credentials {
    /// What was revoked.
    var sentence: String {
        let parts = [(tokens.count, "token"), (sessions.count, "session")].filter { $0.0 > 0 }
            .map { counted($0.0, $0.1) }
        return parts.isEmpty ? "There was nothing to revoke." : "Revoked \(parts.joined(separator: " and "))."
    }
}

extension UserCommand {
    struct Rename: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.writes
        static let configuration = CommandConfiguration(
            abstract: "Change the name that others see for a user, in all projects.",
            discussion: "Example: tidemark user rename alice --display-name \"Alice Birch\" --database plans.db")

        @Argument(help: "The user name. It does not change.") var name: String
        @Option(help: "The new name that others see.") var displayName: String
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let count = try await database.with(Self.self) {
                try await $0.services.members.rename(name, displayName: displayName)
            }
            Terminal.message("Renamed in \(counted(count, "project")).")
        }
    }

    struct Link: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.writes
        static let configuration = CommandConfiguration(
            abstract: "Link an account to a user of an outside identity issuer, who can then log in with it.",
            discussion: """
                Example: tidemark user link alice --issuer https://id.example.org --subject 6f1c… --database plans.db
                """)

        @Argument(help: "The user name.") var name: String
        @Option(help: "The `iss` claim of the issuer's tokens.") var issuer: String
        @Option(help: "The `sub` claim of the user's tokens.") var subject: String
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            try await database.with(Self.self) {
                try await $0.services.accounts.link(name, issuer: issuer, subject: subject)
            }
        }
    }
}
