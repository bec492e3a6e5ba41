import ArgumentParser
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer

extension UserCommand {
    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give an account another password, and end its sessions.",
            discussion: "Example: tidemark user password alice --password-stdin --database plans.db < password.txt")

        @Argument(help: "The user name.") var name: String
        @Flag(help: "Read the password from the first line of stdin; there is no other way.") var passwordStdin = false
        @Flag(help: "Revoke the personal access tokens, too.") var revokeTokens = false
        @OptionGroup var database: DatabaseOption

        func validate() throws {
            guard passwordStdin else {
                throw ValidationError("Pass --password-stdin and write the password to stdin.")
            }
        }

        func run() async throws {
            let password = try StandardInput.password()
            let (ended, left) = try await database.with { wiring in
                let ended = try await wiring.services.accounts.setPassword(
                    password, of: name, revokesTokens: revokeTokens)
                return (ended, try await wiring.services.accounts.credentials(of: name).tokens.count)
            }
            Terminal.message("\(name) has another password. \(ended.sentence)")
            guard left > 0 else { return }
            Terminal.message(
                "\(counted(left, "personal access token")) of \(name) can still be used. "
                    + "To end them: tidemark token revoke --all --user \(name)")
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Refuse an account's credentials from now on, and end its sessions; its rows stay.",
            discussion: "Example: tidemark user disable alice --revoke-tokens --database plans.db")

        @Argument(help: "The user name.") var name: String
        @Flag(help: "Revoke the personal access tokens for good; they would be good again after user enable.")
        var revokeTokens = false
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let ended = try await database.with {
                try await $0.services.accounts.disableUser(name, revokesTokens: revokeTokens)
            }
            Terminal.message("\(name) is disabled. \(ended.sentence)")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take an account's password and tokens again.",
            discussion: "Example: tidemark user enable alice --database plans.db")

        @Argument(help: "The user name.") var name: String
        @OptionGroup var database: DatabaseOption

        func run() async throws { try await database.with { try await $0.services.accounts.enableUser(name) } }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a user's memberships and credentials; rows stay, with the user's name on them.",
            discussion: """
                The account stays as a disabled one without a password, since rows say who wrote them, and its name \
                stays taken. user enable takes it back, as a member of nothing.
                Example: tidemark user remove alice --database plans.db
                """)

        @Argument(help: "The user name.") var name: String
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let count = try await database.with { try await $0.services.members.removeUser(name) }
            Terminal.message(
                "\(name) is a member of nothing any more (\(counted(count, "project"))), and can't log in. Rows stay.")
        }
    }
}

extension Credentials {
    /// What was ended.
    var sentence: String {
        let parts = [(tokens.count, "token"), (sessions.count, "session")].filter { $0.0 > 0 }
            .map { counted($0.0, $0.1) }
        return parts.isEmpty ? "There was nothing to revoke." : "Revoked \(parts.joined(separator: " and "))."
    }
}
