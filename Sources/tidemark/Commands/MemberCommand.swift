import ArgumentParser
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStoreSQL

struct MemberCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "member", abstract: "Manage the members of projects.",
        subcommands: [Add.self, List.self, Remove.self])

    struct Add: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.writes
        static let configuration = CommandConfiguration(
            abstract: "Add a user to a project, or change a member's role.",
            discussion: "Example: tidemark member add --project 3f6c… --user bob --role member --database plans.db")

        @Option(help: "The project's id.") var project: String
        @Option(help: "The user name.") var user: String
        @Option(help: "The role: viewer, member, scheduler, admin or owner.", transform: Add.role)
        var role = Role.member
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            try await database.with(Self.self) { try await $0.services.members.addMember(user, to: project, as: role) }
        }

        private static func role(_ word: String) throws -> Role {
            guard let role = Role(word: word) else {
                throw ValidationError("There is no role \(word). Use viewer, member, scheduler, admin or owner.")
            }
            return role
        }
    }

    struct List: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.reads
        static let configuration = CommandConfiguration(
            abstract: "List a project's members, highest role first.",
            discussion: "Example: tidemark member list --project 3f6c… --database plans.db")

        @Option(help: "The project's id.") var project: String
        @Flag(help: "Print the members as JSON.") var json = false
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let members = try await database.with(Self.self) { try await $0.services.members.members(of: project) }
            try PrintedList(columns: ["id", "username", "display_name", "role", "state"], rows: members.map(\.line))
                .show(asJSON: json)
        }
    }

    struct Remove: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.writes
        static let configuration = CommandConfiguration(
            abstract: "Remove a member from a project.",
            discussion: """
                Rows stay. Fields that name the user are cleared if the schema says so.
                Example: tidemark member remove --project 3f6c… --user bob --database plans.db
                """)

        @Option(help: "The project's id.") var project: String
        @Option(help: "The user name.") var user: String
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            try await database.with(Self.self) { try await $0.services.members.removeMember(user, from: project) }
            Terminal.message("\(user) is no longer a member of \(project).")
        }
    }
}

extension Member {
    fileprivate var line: JSON {
        .object((user.json.object ?? [:]).merging(["role": .string(role.word.lowercased())]) { $1 })
    }
}
