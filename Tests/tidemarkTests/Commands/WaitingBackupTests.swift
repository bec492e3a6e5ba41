import ArgumentParser
import Foundation
import SyncProtocol
import SyncTestKit
import Testing

@testable import tidemark

/// Every command on a backup that waits for its restore. Its commit numbers may be given out once.
@Suite struct WaitingBackupTests {
    private let operation: TidemarkProcess
    private var backup: String { operation.folder.path("copy.db") }

    /// A project of 30 rows, with the owner `load-1` and the member `load-2`.
    init() async throws {
        operation = try TidemarkProcess()
        try await operation.done("load", "prepare", "--rows", "30", "--users", "2", "--project", "hall")
        try await operation.done("backup", operation.folder.path("copy.db"))
    }

    /// How each command is called here. A new command that opens a database needs a line.
    private static let calls: [String: [String]] = [
        "user list": [], "token list": ["--user", "load-1"], "project list": [],
        "member list": ["--project", "hall"], "devices list": [], "export": ["hall"], "check": [],
        "backup": ["again.db"], "user add": ["eve"], "user password": ["load-1", "--password-stdin"],
        "user disable": ["load-1"], "user enable": ["load-1"], "user remove": ["load-2"],
        "user rename": ["load-1", "--display-name", "L"], "user link": ["load-1", "--issuer", "i", "--subject", "s"],
        "token create": ["--user", "load-1"], "token revoke": ["--all", "--user", "load-1"],
        "member add": ["--project", "hall", "--user", "load-2", "--role", "admin"],
        "member remove": ["--project", "hall", "--user", "load-2"], "import": ["hall.json", "--owner", "load-1"],
        "purge": ["--older-than", "0s"], "schema prune": [], "load prepare": ["--rows", "20"], "copy": ["there.db"],
    ]

    /// The names of the commands without subcommands, and how they use a database. Nil if a command does not say.
    private static func commands(
        of command: any ParsableCommand.Type = Tidemark.self, under path: [String] = []
    ) -> [(name: String, use: DatabaseUse?)] {
        let subcommands = command.configuration.subcommands
        guard subcommands.isEmpty else {
            return subcommands.flatMap { commands(of: $0, under: path + [$0._commandName]) }
        }
        return [(path.joined(separator: " "), (command as? any ClassifiedCommand.Type)?.databaseUse)]
    }

    private static func commands(that use: DatabaseUse) -> [String] { commands().filter { $0.use == use }.map(\.name) }

    private func run(_ command: String) async throws -> TidemarkProcess.Result {
        let arguments = try #require(Self.calls[command], "There is no call of \(command).")
        let database = command == "copy" ? [backup] : []
        let words = command.split(separator: " ").map(String.init) + database + arguments
        return try await operation.run(
            words + (command == "copy" ? [] : ["--database", backup]), "a good password\n")
    }

    /// Every file of the folder with its bytes, but for those that the commands make.
    private func files() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: operation.folder.url.path())
        return try Dictionary(
            uniqueKeysWithValues: names.filter { $0 != "again.db" }.map {
                ($0, try Data(contentsOf: URL(filePath: operation.folder.path($0))))
            })
    }

    @Test func everyCommandSaysHowItUsesADatabase() {
        for command in Self.commands() { #expect(command.use != nil, "tidemark \(command.name)") }
        #expect(Self.commands().count > 45)
    }

    @Test(arguments: commands(that: .reads)) func whatReadsLeavesItAsItIs(command: String) async throws {
        let before = try files()
        let result = try await run(command)
        #expect(result.status == 0, "\(result.err)")
        #expect(!result.out.isEmpty || command == "devices list")
        #expect(try files() == before)
    }

    @Test func whatItShowsIsWhatTheDatabaseHolds() async throws {
        for command in [
            ["user", "list"], ["project", "list"], ["member", "list", "--project", "hall"], ["export", "hall"],
        ] {
            let result = try await operation.run(command + ["--database", backup])
            let expected = try await operation.run(command + ["--database", operation.database])
            #expect(result.out == expected.out && result.status == 0 && expected.status == 0, "\(command)")
        }
    }

    @Test(arguments: commands(that: .writes)) func whatWritesSaysWhatToDoAndLeavesItAsItIs(
        command: String
    ) async throws {
        try await operation.done("export", "hall").out
            .write(toFile: operation.folder.path("hall.json"), atomically: true, encoding: .utf8)
        let before = try files()
        let result = try await run(command)
        #expect(result.status == 1 && result.out.isEmpty)
        #expect(result.err.contains("waits for its restore"), "\(result.err)")
        #expect(result.err.contains("tidemark restored --database \(backup)"))
        #expect(try files() == before)
    }

    /// A backup that was looked at once and is restored twice: the numbers differ, as if nobody had looked.
    @Test func afterALookEachRestoreJumps() async throws {
        for command in Self.commands(that: .reads) { _ = try await run(command) }
        var jumps: Set<Int64> = []
        for name in ["a.db", "b.db", "c.db"] {
            try FileManager.default.copyItem(atPath: backup, toPath: operation.folder.path(name))
            let result = try await operation.run(
                "restored", "--json", "--database", operation.folder.path(name))
            #expect(result.status == 0, "\(result.err)")
            jumps.insert(try #require(result.json["jump"]?.int))
        }
        #expect(jumps.count > 1 && jumps.allSatisfy { $0 >= 1 << 32 })
    }

    @Test func aServerRestoresIt() async throws {
        let result = try await operation.run("project", "list", "--json", "--database", backup)
        try FileManager.default.removeItem(atPath: operation.database)
        try FileManager.default.copyItem(atPath: backup, toPath: operation.database)
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: operation.database + suffix) }
        let server = try await ServingProcess(operation)
        #expect(server.greeting.contains("restored backup"))
        await server.stop()
        #expect(try await operation.done("project", "list", "--json").json == result.json)
        try await operation.done("user", "add", "eve")
    }
}
