import ArgumentParser
import Foundation
import SyncClientCore
import SyncProtocol
import SyncTestKit
import Testing

@testable import tidemark

/// `pull`, `push`, `sync` and `refused` against the real server.
@Suite(.timeLimit(.minutes(30))) struct SyncCommandTests {
    private let server: ServedProject
    private let path: String
    private let options: [String]

    init() async throws {
        server = try await ServedProject()
        path = server.folder.path("one.replica")
        let file = server.folder.path("token")
        try Data((try await server.token() + "\n").utf8).write(to: URL(filePath: file))
        options = [server.url, "--project", server.bench.project, "--token-file", file, "--replica", path]
    }

    private func sync(_ direction: SyncDirection = .both) async throws {
        try await Connection.parse(options).run(direction)
    }

    private func expectStatus3(_ body: () async throws -> Void) async {
        let error = await #expect(throws: ExitCode.self) { try await body() }
        #expect(error == ExitCode(3))
    }

    /// The part is kept for later runs, until the file says everything.
    @Test func aReplicaHoldsThePartThatAFileNames() async throws {
        try await server.bench.edit { rows in
            for id in ["m-1", "t-1"] {
                try rows.insert("tasks", id, ["name": .string(id), "is_milestone": .bool(id == "m-1")])
            }
        }
        func pull(_ filter: String) async throws -> [String] {
            let file = server.folder.path("filter.json")
            try Data(filter.utf8).write(to: URL(filePath: file))
            try await Connection.parse(options + ["--filter", file]).run(.pull)
            return try Replica(existing: path).rows(of: "tasks").compactMap { $0["id"]?.string }
        }
        #expect(try await pull(#"{"tasks": [{"is_milestone": true}]}"#) == ["m-1"])
        try await server.bench.edit { try $0.update("tasks", "t-1", ["name": "renamed"]) }
        try await sync(.pull)
        #expect(try Replica(existing: path).rows(of: "tasks").count == 1)
        #expect(try await pull("{}") == ["m-1", "t-1"])
        for (filter, sentence) in [
            ("[]", "This is no filter: it is not an object."),
            (#"{"tasks": [{"name": "x"}]}"#, "`tasks.name` can't be in a filter"),
        ] {
            let error = await #expect(throws: CommandError.self) { _ = try await pull(filter) }
            #expect(error?.description.contains(sentence) ?? false)
        }
        let error = await #expect(throws: CommandError.self) {
            try await Connection.parse(options + ["--filter", server.folder.path("none")]).run(.pull)
        }
        #expect(error?.description.contains("can't be read") ?? false)
    }

    @Test func aSyncThatTakesEveryEditEndsWell() async throws {
        try await sync()
        try Replica(existing: path).insert(["name": "Order paint"], into: "tasks", id: "t-1")
        try await sync()
        try await sync(.push)
        try await sync(.pull)
    }

    @Test func aRefusedNewRowIsStatus3UntilItIsLetGo() async throws {
        try await sync()
        let replica = try Replica(existing: path)
        try replica.insert(["name": "x"], into: "tasks", id: "t-1")
        try replica.storeUnjudged("percent_complete", 400, in: "tasks")
        await expectStatus3 { try await sync() }
        await expectStatus3 { try await sync(.push) }
        try await sync(.pull)
        let edit = try #require(try RefusedEdit.all(in: replica).first)
        #expect(edit.line.hasPrefix("unsent\ttasks\tt-1\tpercent_complete\tout_of_range\tpercent_complete must"))
        #expect(edit.sentence.contains("tasks t-1 “x”, percent_complete: percent_complete must be at most 100."))
        try RefusedDropCommand.parse(["t-1", "--replica", path]).run()
        #expect(try replica.refused().isEmpty && replica.row(of: "tasks", id: "t-1") == nil)
        try await sync()
    }

    @Test func aRefusedEditIsStatus3OnceAndListedUntilItIsLetGo() async throws {
        try await sync()
        let replica = try Replica(existing: path)
        try replica.insert(["name": "x"], into: "tasks", id: "t-1")
        try await sync()
        try replica.update("t-1", in: "tasks", with: ["percent_complete": 40])
        try replica.storeUnjudged("percent_complete", 400, in: "tasks")
        await expectStatus3 { try await sync(.push) }
        try await sync()
        let lines = try RefusedEdit.all(in: replica).map(\.line)
        #expect(lines.count == 1 && lines[0].hasPrefix("aside\ttasks\tt-1\tpercent_complete\tout_of_range\t"))
        #expect(throws: CommandError.self) { try RefusedDropCommand.parse(["t-2", "--replica", path]).run() }
        try RefusedDropCommand.parse(["--all", "--replica", path]).run()
        #expect(try RefusedEdit.all(in: replica).isEmpty)
        #expect(try replica.row(of: "tasks", id: "t-1")?["percent_complete"] == 0)
    }

    @Test func onlyWhatIsNamedIsLetGo() async throws {
        try await sync()
        let replica = try Replica(existing: path)
        for id in ["t-1", "t-2"] { try replica.insert(["name": "x"], into: "tasks", id: id) }
        try replica.storeUnjudged("percent_complete", 400, in: "tasks")
        await expectStatus3 { try await sync() }
        try RefusedDropCommand.parse(["t-1", "--replica", path]).run()
        #expect(try replica.refused().map(\.id) == ["t-2"])
        #expect(try replica.row(of: "tasks", id: "t-2") != nil)
    }

    @Test(arguments: [["t-1", "--all"], []])
    func dropIsToldWhatToDrop(arguments: [String]) {
        #expect(throws: (any Error).self) { try RefusedDropCommand.parse(arguments + ["--replica", "r"]) }
    }

    @Test func aWrongTokenIsTold() async throws {
        var options = options
        options.replaceSubrange(3...4, with: ["--token", "tmk_wrong"])
        let error = await #expect(throws: CommandError.self) { try await Connection.parse(options).run(.pull) }
        #expect(error?.description.contains("tidemark token create") == true)
    }

    @Test func theReplicaIsItsOwnersAlone() async throws {
        try await sync()
        _ = try Replica(existing: path)
        for suffix in ["", "-lock"] {
            let rights = try FileManager.default.attributesOfItem(atPath: path + suffix)[.posixPermissions] as? Int
            #expect(rights == 0o600, "\(suffix)")
        }
    }
}
