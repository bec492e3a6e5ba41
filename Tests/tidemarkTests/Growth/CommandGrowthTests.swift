import Foundation
import Subprocess
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStores
import SyncTestKit
import SystemPackage
import Testing

@testable import tidemark

/// Commands on a database with twice of everything: about twice the processor time, whatever they read or write.
@Suite struct CommandGrowthTests {
    private static let size = 800

    private struct Command: Sendable {
        let name: String
        let arguments: [String]

        init(_ name: String, _ arguments: String...) { (self.name, self.arguments) = (name, arguments) }
    }

    /// `IN` is a file of this name in the folder of the database, `OUT` one that is not there yet.
    private static let commands = [
        Command("lists of projects", "project", "list"), Command("lists of users", "user", "list"),
        Command("lists of members", "member", "list", "--project", "big"),
        Command("lists of tokens", "token", "list", "--user", "alice"), Command("lists of devices", "devices", "list"),
        Command("checks", "check"), Command("purges", "purge", "--older-than", "0s"),
        Command("backups", "backup", "OUT"),
        Command("exports", "export", "big"), Command("exports of plans", "export", "big", "--format", "mspdi"),
        Command("imports of plans", "import", "IN.xml", "--owner", "alice", "--add-members"),
        Command("imports of exports", "import", "IN.json", "--owner", "alice", "--add-members", "--new-ids"),
    ]

    @Test func noCommandTakesMoreThanItsShareOfADoubling() async throws {
        let single = try await database(Self.size)
        let double = try await database(2 * Self.size)
        for command in Self.commands {
            var ratios: [Double] = []
            repeat {
                let once = try await seconds(command, single)
                ratios.append(try await seconds(command, double) / max(once, 0.001))
                // A clear first try is enough, else the median of three counts.
            } while ratios[0] > 2.6 && ratios.count < 3
            #expect(ratios.sorted()[ratios.count / 2] < Growth.bound, "\(command.name): \(ratios)")
        }
    }

    /// A folder with a database that holds `size` of everything, and its big project in both formats.
    private func database(_ size: Int) async throws -> TidemarkProcess {
        let process = try TidemarkProcess()
        let wiring = try await Wiring(database: process.database, as: .server(.ask))
        let services = wiring.services
        let alice = try await services.accounts.addUser("alice")
        var members: [Int64: Role] = [:]
        for number in 0..<size / 4 {
            members[try await services.accounts.addUser("user-\(number)").id] = .member
            _ = try await services.accounts.createToken(for: "alice", name: "t", isReadOnly: true, validFor: nil)
            _ = try await services.projects.create(
                ProjectContent(rows: project("small-\(number)"), owner: alice.id, members: [:]))
        }
        let tasks = (0..<size).map { number -> [String: JSON] in
            let assignee = members.keys.sorted()[number % members.count]
            return ["id": .string("t\(number)"), "name": .string("T\(number)"), "assignee": .int(assignee)]
        }
        let links = (1..<size).map { number -> [String: JSON] in
            [
                "id": .string("d\(number)"), "predecessor": .string("t\(number - 1)"),
                "successor": .string("t\(number)"),
            ]
        }
        let rows = project("big").merging(["tasks": tasks, "dependencies": links]) { $1 }
        _ = try await services.projects.create(ProjectContent(rows: rows, owner: alice.id, members: members))
        try wiring.store.close()
        for (name, format) in [("IN.xml", "mspdi"), ("IN.json", "json")] {
            let text = try await process.done("export", "big", "--format", format).out
            try Data(text.utf8).write(to: process.folder.url.appending(path: name))
        }
        return process
    }

    private func project(_ id: String) -> [String: [[String: JSON]]] {
        let calendar = JSON.string("\(id)-calendar")
        return [
            "calendars": [["id": calendar, "name": "C"]],
            "projects": [["id": .string(id), "name": "P", "start_date": "2026-01-05", "calendar": calendar]],
        ]
    }

    /// The processor time of a command and what it starts. The shell counts it.
    private func seconds(_ command: Command, _ process: TidemarkProcess) async throws -> Double {
        let arguments = command.arguments.map { $0 == "OUT" ? "\(UUID().uuidString).db" : $0 }
        let script = "\"$@\" >out 2>err || { cat err >&2; exit 1; }; times"
        let result = try await Subprocess.run(
            process.shell(["-c", script, "bash", TidemarkProcess.binary] + arguments), input: .none,
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        guard case .exited(0) = result.terminationStatus else {
            Issue.record("\(command.name): \(result.standardError)")
            return 0
        }
        // The second line is that of the children: user and system time, such as 0m1.250s 0m0.040s.
        let last = result.standardOutput.split(separator: "\n").last ?? ""
        return last.matches(of: /([0-9]+)m([0-9.]+)s/).reduce(0) { sum, time in
            sum + 60 * (Double(time.1) ?? 0) + (Double(time.2) ?? 0)
        }
    }
}

extension TidemarkProcess {
    /// How to run a shell in the folder, with its database as the commands' one.
    fileprivate func shell(_ arguments: [String]) -> Configuration {
        var configuration = configuration(arguments)
        configuration.executable = .path("/bin/bash")
        configuration.environment = .custom(["PATH": "/usr/bin:/bin", "HOME": "/", "TIDEMARK_DATABASE": database])
        return configuration
    }
}
