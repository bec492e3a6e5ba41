import ArgumentParser
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer

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
