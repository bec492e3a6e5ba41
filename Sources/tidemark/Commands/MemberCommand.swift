import ArgumentParser
import SyncEngine
import SyncProtocol

struct MemberCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "member", abstract: "Memberships of projects.", subcommands: [Add.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a user a member, or give a member another role.",
            discussion: "Example: tidemark member add --project 3f6c… --user bob --role member --database plans.db")

        @Option(help: "The project's id.") var project: String
        @Option(help: "The user's name.") var user: String
        @Option(help: "viewer, member, scheduler, admin or owner.", transform: Add.role) var role = Role.member
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            try await database.open().accounts.addMember(user, to: project, as: role)
        }

        private static func role(_ word: String) throws -> Role {
            guard let role = Role(word: word) else { throw ValidationError("There is no role \(word).") }
            return role
        }
    }
}
