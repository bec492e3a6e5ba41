import ArgumentParser
import SyncEngine

extension UserCommand {
    struct Password: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give an account another password, and end its sessions.",
            discussion: "Example: tidemark user password alice --password-stdin --database plans.db < password.txt")

        @Argument(help: "The user name.") var name: String
        @Flag(help: "Read the password from the first line of stdin; there is no other way.") var passwordStdin = false
        @OptionGroup var database: DatabaseOption

        func validate() throws {
            guard passwordStdin else {
                throw ValidationError("Pass --password-stdin and write the password to stdin.")
            }
        }

        func run() async throws {
            let password = try StandardInput.password()
            try await database.open().accounts.setPassword(password, of: name)
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Refuse an account's credentials from now on, and end its sessions; its rows stay.",
            discussion: "Example: tidemark user disable alice --database plans.db")

        @Argument(help: "The user name.") var name: String
        @OptionGroup var database: DatabaseOption

        func run() async throws { try await database.open().accounts.disableUser(name) }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take an account's password and tokens again.",
            discussion: "Example: tidemark user enable alice --database plans.db")

        @Argument(help: "The user name.") var name: String
        @OptionGroup var database: DatabaseOption

        func run() async throws { try await database.open().accounts.enableUser(name) }
    }
}
