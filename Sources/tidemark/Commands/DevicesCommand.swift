import ArgumentParser
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQL

struct DevicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the devices that sync.", subcommands: [List.self])

    struct List: AsyncParsableCommand, ClassifiedCommand {
        static let databaseUse = DatabaseUse.reads
        static let configuration = CommandConfiguration(
            abstract: "List the devices, with what they last did and how far they are behind.",
            discussion: """
                A running server writes what it learned once a minute. With --project, everything is about this project.
                Examples: tidemark devices list --user alice --database plans.db
                          tidemark devices list --project 3f6c… --database plans.db
                """)

        @Option(help: "Only the devices of this user, by name.") var user: String?
        @Option(help: "Only devices of the members of this project, by its id.") var project: String?
        @Flag(help: "Print the devices as JSON.") var json = false
        @OptionGroup var database: DatabaseOption

        func run() async throws {
            let devices = try await database.with(Self.self) { wiring in
                let owner = try await wiring.services.accounts.owner(user)
                return try await wiring.services.devices.list(of: owner?.id, project: project)
            }
            let rows = json ? devices : devices.map(\.line)
            try PrintedList(columns: columns, rows: rows).show(asJSON: json)
        }

        private var columns: [String] {
            ["username", "device_name"] + (project == nil ? ["device_id"] : [])
                + ["app_version", "last_seen", "last_upload", "behind", "digest", "last_error"]
        }
    }
}

extension AccountService {
    fileprivate func owner(_ name: String?) async throws -> User? {
        guard let name else { return nil }
        return try await user(named: name)
    }
}

extension DeviceService {
    /// All devices, for whoever holds the database file.
    fileprivate func list(of user: Int64?, project: String?) async throws -> [JSON] {
        let operation = Caller(userID: 0, username: "", isSuperuser: true)
        guard let project else {
            return try await list(of: user, after: .start, limit: .max, for: operation).results
        }
        let all = try await list(of: project, after: .start, limit: .max, for: operation).results
        return all.filter { user == nil || $0["user_id"]?.int == user }
    }
}

extension JSON {
    /// The entry with `behind` in words.
    fileprivate var line: JSON {
        guard let lag = self["behind"], let commits = lag["commits"]?.int, let seconds = lag["seconds"]?.int else {
            return self
        }
        let words = commits == 0 ? "up to date" : "\(counted(Int(commits), "commit")), \(age(seconds))"
        return setting("behind", to: .string(words))
    }

    /// One unit is enough for a list: 45 s, 12 min, 30 h, 9 d.
    private func age(_ seconds: Int64) -> String {
        switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3600) h"
        default: "\(seconds / 86_400) d"
        }
    }
}
