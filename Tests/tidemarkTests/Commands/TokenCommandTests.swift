import Foundation
import ArgumentParser
import SyncClientCore
import SyncProtocol
import SyncTestKit
import Testing

@testable import tidemark

/// `tidemark token`, and other commands that end tokens, next to a server that caches them.
@Suite struct TokenCommandTests {
    private let operation: TidemarkProcess

    init() throws { operation = try TidemarkProcess() }

    private func token(_ arguments: String...) async throws -> String {
        let result = try await operation.done(
            "token", "create", "--user", "alice", "--name", arguments.first ?? "phone")
        return result.out.trimmingCharacters(in: .newlines)
    }

    private func listed() async throws -> [JSON] {
        try await operation.done("token", "list", "--user", "alice", "--json").json.array ?? []
    }

    private func session(_ server: ServingProcess) async throws -> String {
        let answer = try await server.send(
            .post, "/auth/token/", ["username": "alice", "password": "correct horse"])
        return try #require(try JSON(parsing: answer.body)["access"]?.string)
    }

    private func addAlice() async throws {
        try await operation.done("user", "add", "alice", "--password-stdin", input: "correct horse\n")
    }

    @Test func aRevokedTokenIsRefusedByARunningServerAtOnce() async throws {
        try await addAlice()
        let (phone, laptop) = (try await token("phone"), try await token("laptop"))
        let server = try await ServingProcess(operation)
        for token in [phone, laptop] { #expect(try await server.me(token) == 200) }
        let id = try #require(try await listed().first { $0["name"] == "phone" }?["id"]?.int)
        let result = try await operation.done("token", "revoke", "\(id)", "--user", "alice")
        #expect(result.err == "Revoked \(id) of alice.\n")
        #expect(try await server.me(phone) == 401)
        #expect(try await server.me(laptop) == 200)
        #expect(try await listed().map { $0["name"] } == ["laptop"])
    }

    @Test func aSessionIsListedAndRevokedAlike() async throws {
        try await addAlice()
        let server = try await ServingProcess(operation)
        let (lost, kept) = (try await session(server), try await session(server))
        for token in [lost, kept] { #expect(try await server.me(token) == 200) }
        let id = try #require(try await listed().first { $0["kind"] == "session" }?["id"]?.string)
        try await operation.done("token", "revoke", id, "--user", "alice")
        #expect(Set([try await server.me(lost), try await server.me(kept)]) == [200, 401])
        #expect(try await listed().count == 1)
    }

    @Test func allTokensAndSessionsAreRevokedAtOnce() async throws {
        try await addAlice()
        let (first, second) = (try await token(), try await token())
        let server = try await ServingProcess(operation)
        let access = try await session(server)
        for token in [first, second, access] { #expect(try await server.me(token) == 200) }
        let result = try await operation.done("token", "revoke", "--all", "--user", "alice")
        #expect(result.err == "Revoked 2 tokens and 1 session.\n")
        for token in [first, second, access] { #expect(try await server.me(token) == 401) }
        #expect(try await listed().isEmpty)
        #expect(
            try await operation.done("token", "revoke", "--all", "--user", "alice").err.contains("nothing to revoke"))
    }

    @Test func aListTellsNoSecret() async throws {
        try await addAlice()
        let secret = try await token("phone")
        let lines = try await operation.done("token", "list", "--user", "alice").lines
        #expect(lines.count == 1)
        #expect(lines[0].count == 6 && lines[0][1...2] == ["token", "phone"] && lines[0][4...5] == ["-", "valid"])
        #expect(!lines[0].joined().contains(secret.dropFirst(4).prefix(8)))
    }

    @Test(arguments: [["7"], ["tmk_abc"]]) func anIDThatIsNotTheUsersIsRefusedWithTheRemedy(id: [String]) async throws {
        try await addAlice()
        try await operation.done("user", "add", "bob")
        try await operation.done("token", "create", "--user", "bob")
        let result = try await operation.run(
            "token", "revoke", id[0], "--user", "alice", "--database", operation.database)
        #expect(result.status == 1)
        #expect(result.err.contains("tidemark token list --user alice"))
    }

    @Test func oneIDOrAllIsToBeNamed() async throws {
        for arguments in [["--user", "alice"], ["3", "--all", "--user", "alice"]] {
            #expect(throws: (any Error).self) { try TokenCommand.Revoke.parse(arguments) }
        }
    }

    @Test func aTokenThatIsNeverValidIsWrongUsage() async throws {
        try await addAlice()
        let result = try await operation.run(
            "token", "create", "--user", "alice", "--expires", "0d", "--database", operation.database)
        #expect(result.status == 2 && result.out.isEmpty)
        #expect(result.err.contains("--expires"))
    }

    @Test func whoDisablesSaysWhetherTokensEndForGood() async throws {
        try await addAlice()
        let kept = try await token()
        let server = try await ServingProcess(operation)
        #expect(try await server.me(kept) == 200)
        try await operation.done("user", "disable", "alice")
        #expect(try await server.me(kept) == 401)
        try await operation.done("user", "enable", "alice")
        #expect(try await server.me(kept) == 200)
        let result = try await operation.done("user", "disable", "alice", "--revoke-tokens")
        #expect(result.err == "alice is disabled. Revoked 1 token.\n")
        try await operation.done("user", "enable", "alice")
        #expect(try await server.me(kept) == 401)
    }

    @Test func aNewPasswordSaysWhatIsStillGood() async throws {
        try await addAlice()
        let kept = try await token()
        let server = try await ServingProcess(operation)
        #expect(try await server.me(kept) == 200)
        let first = try await operation.done("user", "password", "alice", "--password-stdin", input: "another horse\n")
        #expect(first.err.contains("1 personal access token of alice can still be used."))
        #expect(try await server.me(kept) == 200)
        let second = try await operation.done(
            "user", "password", "alice", "--password-stdin", "--revoke-tokens", input: "a third horse\n")
        #expect(second.err == "alice has a new password. Revoked 1 token.\n")
        #expect(try await server.me(kept) == 401)
    }
}
