import SyncProtocol
import SyncTestKit
import Testing

/// Texts without a `maxLength`: `docs/protocol.md#rows-and-values`.
@Suite struct LongTextTests {
    private static let most = 1 << 20

    /// A text of so many bytes, mostly of letters that take two.
    private func text(_ bytes: Int) -> JSON {
        .string(String(repeating: "ä", count: bytes / 2) + String(repeating: "x", count: bytes % 2))
    }

    private func patch(
        _ client: Client, _ fields: [String: JSON], mode: String = "reject_batch"
    ) async throws -> Answer {
        let row = JSON.object(fields.merging(["id": "t1"]) { $1 })
        return try await client.upload(updated: [row], members: ["on_error": .string(mode)])
    }

    @Test func aMebibyteIsTheMost() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        #expect(try await member.patch("tasks", "t1", ["notes": text(LongTextTests.most)]).status == 200)
        let rest = try await member.patch("tasks", "t1", ["notes": text(LongTextTests.most + 1)])
        #expect(rest.errors == ["/notes too_long"], "\(rest.text.prefix(300))")
        let upload = try await patch(member, ["notes": text(LongTextTests.most + 2)])
        #expect(upload.errors == ["/changes/tasks/updated/0/notes too_long"], "\(upload.text.prefix(300))")
        // The limit falls within a letter.
        let odd = JSON.string("x" + String(repeating: "ä", count: LongTextTests.most / 2))
        let repaired = try await patch(member, ["notes": odd], mode: "repair")
        let cut = repaired.at("/repaired/tasks/0/to")?.string ?? ""
        #expect(cut.utf8.count == LongTextTests.most - 1 && odd.string?.hasPrefix(cut) == true)
    }

    @Test func aLongerOneFromBeforeStaysAndMayBecomeShorter() async throws {
        let scene = try await Scene()
        let long = text(3 * LongTextTests.most)
        try await scene.insertTasks(["t1"], ["notes": long])
        let member = try await scene.client(.member)
        #expect(try await member.read("tasks", "t1").at("/notes") == long)
        #expect(try await member.patch("tasks", "t1", ["name": "Other"]).status == 200)
        #expect(try await patch(member, ["notes": long, "name": "Whole row"]).status == 200)
        let other = JSON.string(String(repeating: "y", count: 3 * LongTextTests.most))
        for longer in [text(3 * LongTextTests.most + 1), other] {
            #expect(try await member.patch("tasks", "t1", ["notes": longer]).errors == ["/notes too_long"])
        }
        let shorter = text(2 * LongTextTests.most)
        #expect(try await patch(member, ["notes": shorter], mode: "repair").at("/repaired") == [:])
        #expect(try await member.read("tasks", "t1").at("/notes") == shorter)
        #expect(try await member.patch("tasks", "t1", ["notes": "Short"]).status == 200)
        #expect(try await member.patch("tasks", "t1", ["notes": shorter]).errors == ["/notes too_long"])
    }

    @Test func aTextWithinAListCountsToo() async throws {
        let schema = OwnSchemas.notes([
            "list": ["type": "array", "default": []], "tree": ["type": "object", "default": [:]],
            "large": ["type": "string", "default": "", "maxLength": 2_000_000],
        ])
        let scene = try await Scene(schemas: [schema])
        let member = try await scene.client(.member)
        let long = text(LongTextTests.most + 2)
        let answer = try await member.create("notes", ["list": [[long]], "tree": ["a": ["b": long]], "large": long])
        #expect(answer.errors == ["/list too_long", "/tree too_long"], "\(answer.text.prefix(300))")
        #expect(try await member.create("notes", ["large": long]).status == 201)
    }
}
