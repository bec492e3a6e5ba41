import ArgumentParser
import SyncEngine

struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Accounts.",
        subcommands: [
            Add.self, List.self, Password.self, Disable.self, Enable.self, Rename.self, Link.self,
        ])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an account; without a password it logs in by tokens only.",
            discussion: "Example: tidemark user add alice --display-name \"Alice Ash\" --database plans.db")

        @Argument(help: "The user name.") var name: String
        @Option(help: "The name that others see.") var displayName: String?
        @Flag(help: "May do everything everywhere.") var superuser = false
        @Flag(help: "Read the account's password from the first line of stdin.") var passwordStdin = false
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let password = passwordStdin ? try StandardInput.password() : nil
            let wiring = try await database.open()
            let user = try await wiring.accounts.addUser(
                name, displayName: displayName, isSuperuser: superuser, password: password)
            print(user.id)
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the accounts.", discussion: "Example: tidemark user list --database plans.db")

        @OptionGroup var database: DatabaseOption

        func run() async throws {
            for user in try await database.open().accounts.users() {
                let marks = (user.isSuperuser ? " superuser" : "") + (user.isDisabled ? " disabled" : "")
                print("\(user.id)\t\(user.username)\t\(user.displayName)\(marks)")
            }
        }
    }
}
