import Foundation
import SyncClientCore
import SyncProtocol
import SyncTestKit
import Testing

/// `tidemark project`, `tidemark member` and `tidemark user remove`.
@Suite struct ProjectCommandTests {
    private let operation: TidemarkProcess

    /// A project of 30 rows, with the owner `load-1` and the member `load-2`.
    init() async throws {
        operation = try TidemarkProcess()
        try await operation.done("load", "prepare", "--rows", "30", "--users", "2", "--project", "hall")
    }

    private func members() async throws -> [String] {
        try await operation.done("member", "list", "--project", "hall").lines.map { $0[1] }
    }

    private func refused(_ arguments: String...) async throws -> String {
        var operation = operation
        operation.environment["TIDEMARK_DATABASE"] = operation.database
        let result = try await operation.run(arguments)
        #expect(result.status == 1 && result.out.isEmpty)
        return result.err
    }

    @Test func projectsAreListedWithTheirMembersAndRows() async throws {
        let lines = try await operation.done("project", "list").lines
        #expect(lines == [["hall", "Load of 30 rows", "active", "2", "30"]])
        let json = try await operation.done("project", "list", "--json").json
        #expect(json.array?.first?["rows"] == 30 && json.array?.first?["state"] == "active")
    }

    @Test func severalProjectsAreMadeToPutLoadOn() async throws {
        try await operation.done("load", "prepare", "--rows", "20", "--users", "2", "--projects", "3")
        let lines = try await operation.done("project", "list").lines
        #expect(Set(lines.map { $0[0] }).count == 4)
        #expect(lines.filter { Array($0[1...]) == ["Load of 20 rows", "active", "2", "20"] }.count == 3)
    }

    @Test func aPlanBecomesAProjectOfAGivenID() async throws {
        let plan = operation.folder.path("plan.xml")
        let text = try await operation.done("export", "hall", "--format", "mspdi").out
        try text.write(toFile: plan, atomically: true, encoding: .utf8)
        try await operation.done("import", plan, "--owner", "load-1", "--project", "hall-2")
        #expect(try await operation.done("project", "list").lines.map { $0[0] }.sorted() == ["hall", "hall-2"])
        let again = try await refused("import", plan, "--owner", "load-1", "--project", "hall-2")
        #expect(again.contains("hall-2"))
        #expect(try await operation.done("project", "list").lines.count == 2)
    }

    @Test func membersAreListedByRole() async throws {
        let lines = try await operation.done("member", "list", "--project", "hall").lines
        #expect(
            lines.map { [$0[1], $0[3], $0[4]] } == [["load-1", "owner", "active"], ["load-2", "member", "active"]])
    }

    @Test func aMemberIsRemovedBesideARunningServer() async throws {
        let token = try await operation.done("token", "create", "--user", "load-2").out
            .trimmingCharacters(in: .newlines)
        let server = try await ServingProcess(operation)
        let path = "/projects/hall/sync/?since=0"
        #expect(try await server.send(.get, path, token: token).status == 200)
        let result = try await operation.done("member", "remove", "--project", "hall", "--user", "load-2")
        #expect(result.err == "load-2 is no longer a member of hall.\n")
        let answer = try await server.send(.get, path, token: token)
        #expect(answer.status == 403)
        #expect(try JSON(parsing: answer.body)["code"] == "membership_revoked")
        #expect(try await members() == ["load-1"])
    }

    @Test func whoIsNoMemberAndTheLastOwnerAreNotRemoved() async throws {
        #expect(
            try await refused("member", "remove", "--project", "hall", "--user", "load-1").contains(
                "at least one owner"))
        try await operation.done("user", "add", "bob")
        let stranger = try await refused("member", "remove", "--project", "hall", "--user", "bob")
        #expect(stranger.contains("tidemark member list --project hall"))
        for command in ["list", "add"] {
            let user = command == "add" ? ["--user", "bob"] : []
            let nowhere = try await operation.run(
                ["member", command, "--project", "nope", "--database", operation.database] + user)
            #expect(nowhere.status == 1 && nowhere.err.contains("tidemark project list"))
        }
    }

    @Test func aRemovedUserIsAMemberOfNothingAndCantLogInWhileTheRowsStay() async throws {
        let token = try await operation.done("token", "create", "--user", "load-2").out
            .trimmingCharacters(in: .newlines)
        let server = try await ServingProcess(operation)
        #expect(try await server.me(token) == 200)
        let result = try await operation.done("user", "remove", "load-2")
        #expect(result.err.contains("(1 project)"))
        #expect(try await server.me(token) == 401)
        #expect(try await members() == ["load-1"])
        #expect(
            try await operation.done("project", "list").lines == [["hall", "Load of 30 rows", "active", "1", "29"]])
        let users = try await operation.done("user", "list").lines
        #expect(users.map { $0[1...3] } == [["load-1", "load-1", "active"], ["load-2", "load-2", "disabled"]])
        #expect(try await refused("user", "add", "load-2").contains("tidemark user enable load-2"))
        try await operation.done("user", "enable", "load-2")
        #expect(try await server.me(token) == 401)
        #expect(try await operation.done("token", "list", "--user", "load-2").out.isEmpty)
    }

    @Test func theOnlyOwnerIsNotRemovedAndTheProjectsAreNamed() async throws {
        try await operation.done("load", "prepare", "--rows", "10", "--users", "1", "--project", "shed")
        let message = try await refused("user", "remove", "load-1")
        #expect(message.contains("(hall)") && message.contains("(shed)"))
        #expect(message.contains("tidemark member add --project hall --user NAME --role owner"))
        #expect(try await members() == ["load-1", "load-2"])
        for project in ["hall", "shed"] {
            try await operation.done("member", "add", "--project", project, "--user", "load-2", "--role", "owner")
        }
        try await operation.done("user", "remove", "load-1")
        #expect(try await members() == ["load-2"])
    }
}
