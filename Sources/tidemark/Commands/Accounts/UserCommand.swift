import ArgumentParser
import SyncAccounts
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
