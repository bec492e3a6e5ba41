import SyncProtocol
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

/// Rows that somebody makes for others, or gives away, offline together with what belongs to them.
@Suite struct GivenAwayTests {
    private let lists: ListedScene
    private let member: Client

    init() async throws {
        lists = try await ListedScene()
        member = lists.client(.member)
    }

    private func upload(_ inspection: JSON, isNew: Bool, finding: String) async throws -> Answer {
        let inspections: JSON = [isNew ? "created" : "updated": [inspection]]
        let findings: JSON = ["created": [["id": .string(finding), "above": inspection["id"]!]]]
        return try await member.upload(members: ["changes": ["inspections": inspections, "findings": findings]])
    }

    @Test func aRowThatIsMadeForSomebodyElseTakesItsRowsAlong() async throws {
        let answer = try await upload(
            ["id": "i", "assignee": lists.user(.scheduler)], isNew: true, finding: "f")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await lists.drain(.scheduler).rows == ["f", "i"])
        #expect(try await lists.drain(.member).rows == [])
        try lists.checkDatabase()
    }

    @Test func aRowThatIsGivenAwayTakesItsRowsAlong() async throws {
        try await lists.inspect("i", by: .member)
        let answer = try await upload(
            ["id": "i", "assignee": lists.user(.scheduler)], isNew: false, finding: "f")
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await lists.drain(.scheduler).rows == ["f", "i"])
        #expect(try await lists.drain(.member).rows == [])
        try lists.checkDatabase()
    }

    /// The rows of others stay unknown, also those that the batch can't change.
    @Test func nothingGoesBelowRowsOfOthers() async throws {
        try await lists.inspect("i", by: .scheduler)
        let answer = try await upload(
            ["id": "i", "assignee": lists.user(.member)], isNew: false, finding: "f")
        #expect(answer.status == 400, "\(answer.text)")
        let alone = try await member.upload("findings", created: [["id": "f", "above": "i"]])
        let never = try await member.upload("findings", created: [["id": "f", "above": "x"]])
        for refused in [alone, never] {
            #expect(refused.status == 400, "\(refused.text)")
            #expect(refused.at("/errors/0/code") == "unknown_reference", "\(refused.text)")
        }
    }

    @Test(.enabled(if: TestEngine.isSQLite)) func aCheckCountsWhatNobodySees() async throws {
        let lists = try await ListedScene(ListedScene.schemas(role: nil))
        try await lists.inspect("i", by: .member)
        try await lists.add("findings", "f", to: "i", by: .member)
        let path = lists.scene.folder.path("t.db")
        #expect(try DatabaseCheck(path: path).run().notes == [])
        #expect(try await lists.client(.member).patch("inspections", "i", ["assignee": .null]).status == 200)
        let report = try DatabaseCheck(path: path).run()
        #expect(
            report.isSound
                && report.notes.map { String($0.prefix(34)) }.sorted() == [
                    "Nobody sees 1 row of findings: the", "Nobody sees 1 row of inspections: ",
                ])
    }
}
