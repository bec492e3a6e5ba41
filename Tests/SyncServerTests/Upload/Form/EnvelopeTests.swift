import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// What is refused before any row is examined.
@Suite struct EnvelopeTests {
    @Test func moreThan500RowsAreTooMany() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let rows = (0..<300).map { ["id": .string("t\($0)"), "name": "A"] as JSON }
        let answer = try await member.upload(created: rows, deleted: (0..<201).map { .string("d\($0)") })
        #expect(answer.status == 400)
        #expect(answer.code == "batch_too_large")
        #expect(answer.at("/rows") == 501)
        #expect(answer.at("/limit") == 500)
        #expect(try await member.drain().ids("tasks").isEmpty)
    }

    @Test(arguments: ["projects", "memberships", "nope", "Tasks"])
    func aCollectionThatIsNotUploadableIsRefused(name: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.post([
            "client_batch_id": .string(UUID().uuidString),
            "changes": .object([
                name: ["created": [], "updated": [], "deleted": []], "tasks": ["created": [["id": "t1", "name": "A"]]],
            ]),
        ])
        #expect(answer.status == 400)
        #expect(answer.code == "collection_not_uploadable")
        #expect(try await member.task("t1") == nil)
    }

    @Test(arguments: ["", "{", "nope", "{\"a\":}", "[1,]", "{\"a\":1}}", "\u{0}", "{'a':1}"])
    func whatIsNoJSONIsRefused(body: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.send("POST", member.syncPath, body.data)
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_json")
    }

    @Test func whatIsNoUTF8IsRefused() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.send(
            "POST", member.syncPath, Data([0x7B, 0x22, 0xFF, 0xFE, 0x22, 0x3A, 0x31, 0x7D]))
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_json")
    }

    @Test(arguments: ["[]", "7", "null", "\"text\""])
    func aBodyThatIsNoObjectIsRefused(body: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.send("POST", member.syncPath, body.data)
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_body")
    }

    @Test(
        arguments: [
            nil, [], 7, ["tasks": []], ["tasks": ["created": [:]]], ["tasks": ["created": nil]],
            ["tasks": ["other": []]],
        ] as [JSON?])
    func changesOfAnotherShapeAreRefused(changes: JSON?) async throws {
        let scene = try await Scene()
        var body: [String: JSON] = ["client_batch_id": .string(UUID().uuidString)]
        body["changes"] = changes
        let answer = try await scene.client(.member).post(.object(body))
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_body")
    }

    @Test func aBodyNestedDeeperThan32IsRefused() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        // The row is the fifth level. Its field "x" is unknown, so only the depth matters.
        func body(levels: Int) -> Data {
            let nested = String(repeating: "[", count: levels - 5) + String(repeating: "]", count: levels - 5)
            return """
                {"client_batch_id": "\(UUID().uuidString)", "changes": {"tasks": {"created":
                [{"id": "t1", "name": "A", "x": \(nested)}]}}}
                """.data
        }
        let deep = try await member.send("POST", member.syncPath, body(levels: 33))
        #expect(deep.status == 400)
        #expect(deep.code == "invalid_json")
        for levels in [200, 100_000] {
            #expect(try await member.send("POST", member.syncPath, body(levels: levels)).status == 400)
        }
        #expect(try await member.send("POST", member.syncPath, body(levels: 32)).status == 200)
    }

    @Test func aBodyAbove16MiBIsRefused() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.send("POST", member.syncPath, Data(repeating: 0x20, count: 16 << 20 | 1))
        #expect(answer.status == 413)
        #expect(answer.code == "body_too_large")
        #expect(answer.at("/detail")?.string?.contains("A single row of that size can't be stored") == true)
    }

    @Test func aBodyOf16MiBIsRead() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        var body = Batch.empty.data
        body.append(Data(repeating: 0x20, count: (16 << 20) - body.count))
        #expect(try await member.send("POST", member.syncPath, body).status == 200)
    }

    @Test(
        arguments: [
            nil, "", "abc", 7, .null, "0b5a2f0e-6f0e-4c7b-9a51-0f6f3c1f0a0", "0b5a2f0e6f0e4c7b9a510f6f3c1f0a01",
            "0b5a2f0e-6f0e-4c7b-9a51-0f6f3c1f0a0g", "0b5a2f0-e6f0e-4c7b-9a51-0f6f3c1f0a01",
            "0b5a2f0e-6f0e-4c7b-9a51-0f6f3c1f0a010", "0b5a2f0e-6f0e-4c7b-9a51-0f6f3c1f0a0ß",
            " b5a2f0e-6f0e-4c7b-9a51-0f6f3c1f0a01",
        ] as [JSON?])
    func aBatchIDThatIsNoUUIDIsRefused(id: JSON?) async throws {
        let scene = try await Scene()
        var body: [String: JSON] = ["changes": [:]]
        body["client_batch_id"] = id
        let answer = try await scene.client(.member).post(.object(body))
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_batch_id")
    }

    @Test func lastPulledAtAboveTheHeadIsRefusedBeforeAnythingIsApplied() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let head = try await member.head()
        let created: [JSON] = [["id": "t1", "name": "A"]]
        let answer = try await member.upload(created: created, members: ["last_pulled_at": .int(head + 1)])
        #expect(answer.status == 409)
        #expect(answer.code == "since_ahead")
        #expect(try await member.task("t1") == nil)
        #expect(try await member.upload(created: created, members: ["last_pulled_at": .int(head)]).status == 200)
    }

    @Test(arguments: [0, .null] as [JSON])
    func lastPulledAtOfZeroIsNotJudged(value: JSON) async throws {
        let scene = try await Scene()
        #expect(try await scene.client(.member).upload(members: ["last_pulled_at": value]).status == 200)
    }

    @Test(arguments: [-1, 1.5, "7", 9_007_199_254_740_992] as [JSON])
    func lastPulledAtThatIsNoSinceIsRefused(value: JSON) async throws {
        let scene = try await Scene()
        let answer = try await scene.client(.member).upload(members: ["last_pulled_at": value])
        #expect(answer.status == 400)
        #expect(answer.code == "invalid_since")
    }
}
