import SyncProtocol
import SyncTestKit
import Testing

/// Nobody decides on a suggestion in the name of somebody else.
@Suite struct SuggestionDecisionTests {
    private func accepted() async throws -> (Scene, Client) {
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"])
        let member = try await scene.client(.member)
        try await member.create(
            "task_suggested_assignees", ["id": "x", "task": "t1", "suggested_user": scene.userID(.member)])
        #expect(try await member.patch("task_suggested_assignees", "x", ["state": "accepted"]).status == 200)
        return (scene, member)
    }

    @Test func anAcceptedSuggestionKeepsItsUserAndItsTask() async throws {
        let (scene, member) = try await accepted()
        let fields: [JSON] = [["suggested_user": scene.userID(.owner)], ["task": "t2"]]
        for client in [member, try await scene.client(.admin)] {
            for body in fields {
                let answer = try await client.patch("task_suggested_assignees", "x", body)
                #expect(answer.status == 400, "\(answer.text)")
            }
        }
        #expect(try await member.patch("task_suggested_assignees", "x", ["reason": "Knows it"]).status == 200)
    }

    @Test func aSuggesterDoesNotDecideByTakingTheSuggestedUsersPlace() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        try await member.create(
            "task_suggested_assignees", ["id": "x", "task": "t1", "suggested_user": scene.userID(.owner)])
        let answer = try await member.patch(
            "task_suggested_assignees", "x", ["suggested_user": scene.userID(.member), "state": "accepted"])
        #expect(answer.status == 403 && answer.code == "field_forbidden", "\(answer.text)")
        let moved = try await member.patch(
            "task_suggested_assignees", "x", ["suggested_user": scene.userID(.admin)])
        #expect(moved.status == 200)
    }
}
