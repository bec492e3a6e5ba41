import Foundation
import SyncAccounts
import SyncProtocol
import SyncTestKit
import Testing

/// `Idempotency-Key` on creates: the row is made once, however often the request is sent.
@Suite struct IdempotencyKeyTests {
    private let key = ["Idempotency-Key": "k-1"]

    @Test(arguments: ["risks", "projects"]) func aRetryGetsTheFirstAnswer(collection: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let body: JSON =
            collection == "risks"
            ? ["title": "Rain", "probability": 1, "impact": 1] : ["name": "P", "start_date": "2026-01-05"]
        let first = try await member.create(collection, body, headers: key)
        let head = try await member.head()
        let second = try await member.create(collection, body, headers: key)
        #expect(first.status == 201 && second.status == 201)
        #expect(second.body == first.body)
        #expect(second.header("Location") == first.header("Location") && second.header("ETag") == "\"1\"")
        #expect(first.header("Idempotent-Replayed") == nil && second.header("Idempotent-Replayed") == "true")
        #expect(try await member.head() == head)
    }

    @Test func twoAtOnceMakeOneRow() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answers = try await withThrowingTaskGroup(of: Answer.self) { group in
            for _ in 0..<8 {
                group.addTask { try await member.create("tasks", ["name": "A"], headers: key) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers.map(\.text)).count == 1)
        #expect(try await member.drain().ids("tasks").count == 1)
    }

    @Test func anotherBodyOrCollectionUnderTheKeyIsRefused() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.create("tasks", ["name": "A"], headers: key)
        for answer in [
            try await member.create("tasks", ["name": "B"], headers: key),
            try await member.create("sprints", ["name": "A"], headers: key),
        ] {
            #expect(answer.status == 422 && answer.code == "idempotency_key_reused")
        }
    }

    @Test func anotherUsersKeyIsAnother() async throws {
        let scene = try await Scene()
        let first = try await scene.client(.member).create("tasks", ["name": "A"], headers: key)
        let second = try await scene.client(.admin).create("tasks", ["name": "A"], headers: key)
        #expect(second.status == 201 && second.at("/id") != first.at("/id"))
    }

    @Test func aRefusedRequestDoesNotUseItsKey() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        #expect(try await member.create("tasks", ["name": ""], headers: key).status >= 200)
        let refused = ["Idempotency-Key": "k-2"]
        #expect(try await member.create("tasks", ["name": 7], headers: refused).status == 400)
        #expect(try await member.create("tasks", ["name": "Seven"], headers: refused).status == 201)
    }

    @Test func aReplayIsAnsweredAfterADemotionButNotAfterARemoval() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let first = try await member.create("tasks", ["name": "A"], headers: key)
        try await scene.setRole(of: .member, to: .viewer)
        #expect(try await member.create("tasks", ["name": "A"], headers: key).body == first.body)
        try await scene.removeMember(.member)
        #expect(try await member.create("tasks", ["name": "A"], headers: key).code == "membership_revoked")
    }

    @Test func aReplayDoesNotShowWhatItsMakerMayNotSeeAnyMore() async throws {
        let scene = try await Scene()
        try await scene.insertSprint("s1")
        let member = try await scene.client(.member)
        try await member.create("sprint_retros", ["sprint": "s1", "notes": "Secret"], headers: key)
        try await scene.setRole(of: .member, to: .viewer)
        let answer = try await member.create("sprint_retros", ["sprint": "s1", "notes": "Secret"], headers: key)
        #expect(answer.status == 404 && !answer.text.contains("Secret"))
    }

    @Test func aKeyIsForgottenAfterItsRetention() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let first = try await member.create("tasks", ["name": "A"], headers: key)
        scene.clock.advance(by: .seconds(721 * 3600))
        #expect(try await member.create("tasks", ["name": "A"], headers: key).at("/id") != first.at("/id"))
    }

    @Test(arguments: ["tasks", "projects"]) func aRepeatedPatchIsAppliedOnce(collection: String) async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let owner = try await scene.client(.owner)
        let id = collection == "tasks" ? "t1" : "p1"
        let first = try await owner.patch(collection, id, ["name": "Mine"], headers: key)
        let other = try await owner.patch(collection, id, ["name": "Later"])
        let again = try await owner.patch(collection, id, ["name": "Mine"], headers: key)
        #expect(first.status == 200 && first.header("Idempotent-Replayed") == nil, "\(first.text)")
        #expect(again.status == 200 && again.body == first.body && again.header("Idempotent-Replayed") == "true")
        #expect(again.header("ETag") == first.header("ETag"))
        #expect(try await owner.read(collection, id).body == other.body, "the later edit stays")
        for answer in [
            try await owner.patch(collection, id, ["name": "Else"], headers: key),
            try await owner.patch("tasks", "t1", ["notes": "Else"], headers: key),
            try await owner.create("tasks", ["name": "Mine"], headers: key),
        ] {
            #expect(answer.verdict == "422 idempotency_key_reused", "\(answer.text)")
        }
        let stale = ["Idempotency-Key": "k-2", "If-Match": "\"1\""]
        #expect(try await owner.patch(collection, id, ["name": "No"], headers: stale).status == 412)
        let malformed = try await owner.patch(collection, id, ["name": "No"], headers: ["Idempotency-Key": "a b"])
        #expect(malformed.verdict == "400 invalid_header")
    }

    @Test(arguments: ["", " ", "a b", "ü", String(repeating: "k", count: 256)])
    func aMalformedKeyIsRefused(key: String) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.create("tasks", ["name": "A"], headers: ["Idempotency-Key": key])
        #expect(answer.status == 400 && answer.code == "invalid_header")
    }
}
