import ArgumentParser
import SyncEngine

struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Accounts.",
        subcommands: [Add.self, List.self, Disable.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an account that logs in by tokens.",
            discussion: "Example: tidemark user add alice --display-name \"Alice Ash\" --database plans.db")

        @Argument(help: "The user name.") var name: String
        @Option(help: "The name that others see.") var displayName: String?
        @Flag(help: "May do everything everywhere.") var superuser = false
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let wiring = try await database.open()
            let user = try await wiring.accounts.addUser(name, displayName: displayName, isSuperuser: superuser)
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

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Refuse an account's credentials from now on; its rows stay.",
            discussion: "Example: tidemark user disable alice --database plans.db")

        @Argument(help: "The user name.") var name: String
        @OptionGroup var database: DatabaseOption

        func run() async throws { try await database.open().accounts.disableUser(name) }
    }
}
