import Foundation
import SyncEngine
import SyncProtocol
import SyncTestKit
import Testing

/// A cursor is valid only for the drain that it came from.
@Suite struct CursorTests {
    /// A project with some rows, a member, and the cursor after the first of two pages.
    private func begun(_ parameters: [String: String] = [:]) async throws -> (Scene, Client, String) {
        let scene = try await Scene()
        try await scene.insertTasks((1...9).map { "t\($0)" })
        let member = try await scene.client(.member)
        let page = try await member.page(parameters.merging(["page_size": "2"]) { $1 })
        return (scene, member, try #require(page.at("/next_cursor")?.string))
    }

    private func expectRefusal(_ page: Answer) {
        #expect(page.status == 400)
        #expect(page.code == "invalid_cursor")
    }

    @Test func aCursorIsBase64URLWithoutPadding() async throws {
        let (_, _, cursor) = try await begun()
        let alphabet = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-_"))
        #expect(cursor.unicodeScalars.allSatisfy(alphabet.contains))
    }

    @Test func aTruncatedCursorIsRefusedAndARestartWorks() async throws {
        let (_, member, cursor) = try await begun()
        for length in [1, 10, cursor.count / 2, cursor.count - 1] {
            expectRefusal(try await member.page(["cursor": String(cursor.prefix(length))]))
        }
        #expect(try await member.drain(pageSize: 2).ids("tasks").count == 9)
    }

    @Test func aCursorWithAnyCharacterChangedIsRefused() async throws {
        let (_, member, cursor) = try await begun()
        for index in stride(from: 0, to: cursor.count, by: 3) {
            var characters = Array(cursor)
            characters[index] = characters[index] == "A" ? "B" : "A"
            expectRefusal(try await member.page(["cursor": String(characters)]))
        }
    }

    @Test(arguments: ["x", "!!!!", "AAAA", "null", "0", "bm90IGEgY3Vyc29y", "%00"])
    func aCursorThatNeverWasOneIsRefused(cursor: String) async throws {
        let scene = try await Scene()
        expectRefusal(try await scene.client(.viewer).page(["cursor": cursor]))
    }

    @Test func aCursorWithSomethingAddedIsRefused() async throws {
        let (_, member, cursor) = try await begun()
        for tail in ["=", "A", "AAAA", " "] { expectRefusal(try await member.page(["cursor": cursor + tail])) }
    }

    @Test func anotherProjectsCursorIsRefused() async throws {
        let (scene, _, cursor) = try await begun()
        _ = try await scene.otherProject()
        try await scene.bench.members.addMember("member-p1", to: "p2", as: .member)
        let member = try await scene.client(.member)
        expectRefusal(try await member.send("GET", "/api/v1/projects/p2/sync/?cursor=\(cursor)"))
        #expect(try await member.send("GET", "/api/v1/projects/p2/sync/").status == 200)
    }

    @Test func anotherUsersCursorIsRefused() async throws {
        let (scene, member, cursor) = try await begun()
        for role in [Role.viewer, .owner] {
            expectRefusal(try await scene.client(role).page(["cursor": cursor]))
        }
        #expect(try await member.page(["cursor": cursor]).status == 200)
    }

    @Test func aCursorGoesOnUnderAnotherTokenOfTheSameUser() async throws {
        let (scene, _, cursor) = try await begun()
        let again = try await scene.client(.member, isReadOnly: true)
        #expect(try await again.page(["cursor": cursor]).status == 200)
    }

    @Test func aCursorWithAnotherSinceIsRefused() async throws {
        let (_, member, cursor) = try await begun(["since": "1"])
        expectRefusal(try await member.page(["since": "2", "cursor": cursor]))
        expectRefusal(try await member.page(["cursor": cursor]))
        #expect(try await member.page(["since": "1", "cursor": cursor]).status == 200)
    }

    @Test func aCursorWithOtherCollectionsIsRefused() async throws {
        let (_, member, cursor) = try await begun(["collections": "tasks,risks"])
        expectRefusal(try await member.page(["collections": "tasks", "cursor": cursor]))
        expectRefusal(try await member.page(["cursor": cursor]))
        #expect(try await member.page(["collections": "risks,tasks", "cursor": cursor]).status == 200)
    }

    @Test func aCursorFromBeforeARoleChangeIsRefusedAndARestartWorks() async throws {
        let (scene, member, cursor) = try await begun()
        try await scene.setRole(of: .member, to: .viewer)
        expectRefusal(try await member.page(["cursor": cursor]))
        try await scene.setRole(of: .member, to: .member)
        expectRefusal(try await member.page(["cursor": cursor]))
        #expect(try await member.drain(pageSize: 2).ids("tasks").count == 9)
    }

    @Test func aCursorOutlivesARestartOfTheServer() async throws {
        let folder = try TemporaryFolder()
        let token: String
        var drain = Drain()
        let cursor: String
        do {
            let scene = try await Scene(in: folder)
            try await scene.insertTasks((1...9).map { "t\($0)" })
            let member = try await scene.client(.member)
            cursor = try #require(drain.take(try await member.page(["page_size": "6"]), pageSize: 6))
            token = try #require(member.token)
            await scene.server.stop()
        }
        let server = try await TestServer(reopening: folder)
        let member = Client(server: server, project: "p1", token: token)
        let rest = drain.take(try await member.page(["page_size": "5000", "cursor": cursor]), pageSize: 5000)
        #expect(rest == nil)
        #expect(drain.rows == (try await member.drain()).rows)
    }
}
