import SyncEngine
import SyncProtocol
import SyncTestKit
import Testing

/// Texts are what their bytes are, though Swift takes canonically equivalent ones for equal.
@Suite struct TextIdentityTests {
    @Test func anEditToAnotherFormOfTheSameLettersIsAnEdit() async throws {
        let (composed, decomposed) = ("Caf\u{E9}", "Cafe\u{301}")
        let scene = try await Scene()
        try await scene.insertTasks(["t1", "t2"], ["notes": .string(composed)])
        let member = try await scene.client(.member)
        try await member.patch("tasks", "t1", ["notes": .string(decomposed)])
        try await member.upload(updated: [["id": "t2", "notes": .string(decomposed)]])
        for id in ["t1", "t2"] {
            let row = try await member.read("tasks", id).json
            #expect(row["notes"]?.string.map { Array($0.utf8) } == Array(decomposed.utf8))
            #expect(row["server_version"] == 2)
        }
    }

    @Test func aLookAlikeIsNoValueOfAnEnum() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        let lookAlike: JSON = .string("BAC\u{212A}LOG")
        let answer = try await member.patch("tasks", "t1", ["status": lookAlike])
        #expect(answer.status == 400 && answer.errors == ["/status not_in_enum"])
        #expect(try await member.upload(created: [["id": "t2", "name": "N", "status": lookAlike]]).status == 400)
    }
}
