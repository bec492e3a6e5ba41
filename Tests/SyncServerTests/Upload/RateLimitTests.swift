import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// How many uploads a user may send: `docs/protocol.md#post-projectsidsync`.
@Suite struct RateLimitTests {
    private func settings(perProject: Int, perUser: Int) -> SyncSettings {
        var settings = SyncSettings()
        settings.uploadRatePerProject = perProject
        settings.uploadRatePerUser = perUser
        return settings
    }

    /// The client of the scene's member for a second project, in which that user is a member too.
    private func elsewhere(_ scene: Scene, _ client: Client) async throws -> Client {
        let other = try await scene.otherProject()
        try await other.members.addMember(scene.bench.caller(.member).username.rawValue, to: "p2", as: .member)
        var client = client
        client.project = "p2"
        return client
    }

    private func statuses(_ count: Int, _ client: Client) async throws -> [Int] {
        var statuses: [Int] = []
        for _ in 0..<count { statuses.append(try await client.post(Batch.empty).status) }
        return statuses
    }

    private func passes(_ count: Int) -> [Int] { Array(repeating: 200, count: count) }

    @Test func sixtyAMinutePassAndTheNextIsToldWhenToComeBack() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        #expect(try await statuses(60, member) == passes(60))
        let refused = try await member.post(Batch.empty)
        #expect(refused.status == 429)
        #expect(refused.code == "rate_limited")
        #expect(refused.header("Retry-After") == "1")
        #expect(refused.header("Content-Type") == "application/problem+json")
        scene.clock.advance(by: .seconds(1))
        #expect(try await statuses(2, member) == [200, 429])
        scene.clock.advance(by: .seconds(60))
        #expect(try await statuses(61, member) == passes(60) + [429])
    }

    @Test func theSecondsToldAreEnoughAndNotMoreThanNeeded() async throws {
        let scene = try await Scene(settings: settings(perProject: 7, perUser: 0))
        let member = try await scene.client(.member)
        #expect(try await statuses(7, member) == passes(7))
        #expect(try await member.post(Batch.empty).header("Retry-After") == "9")
        scene.clock.advance(by: .seconds(8))
        #expect(try await member.post(Batch.empty).header("Retry-After") == "1")
        scene.clock.advance(by: .seconds(1))
        #expect(try await statuses(2, member) == [200, 429])
    }

    @Test func aUserHasOneLimitOverAllProjects() async throws {
        let scene = try await Scene(settings: settings(perProject: 3, perUser: 5))
        let here = try await scene.client(.member)
        let there = try await elsewhere(scene, here)
        #expect(try await statuses(3, here) == passes(3))
        #expect(try await statuses(10, here).allSatisfy { $0 == 429 })
        #expect(try await statuses(3, there) == [200, 200, 429], "what one project refuses costs the user nothing")
        #expect(try await there.post(Batch.empty).header("Retry-After") == "12")
        scene.clock.advance(by: .seconds(12))
        #expect(try await statuses(2, there) == [200, 429])
    }

    @Test func anotherUserIsNotLimited() async throws {
        let scene = try await Scene(settings: settings(perProject: 1, perUser: 1))
        #expect(try await statuses(2, scene.client(.member)) == [200, 429])
        #expect(try await statuses(2, scene.client(.admin)) == [200, 429])
    }

    @Test func aReplayCostsNothingAndIsAnsweredWhileLimited() async throws {
        let scene = try await Scene(settings: settings(perProject: 2, perUser: 2))
        let member = try await scene.client(.member)
        let batch = UUID().uuidString
        let first = try await member.upload(created: [["id": "t", "name": "T"]], batch: batch)
        for _ in 0..<5 {
            let replay = try await member.upload(created: [["id": "t", "name": "T"]], batch: batch)
            #expect(replay.header("Idempotent-Replayed") == "true")
            #expect(replay.body == first.body)
        }
        #expect(try await statuses(2, member) == [200, 429])
        #expect(try await member.upload(created: [["id": "t", "name": "T"]], batch: batch).body == first.body)
    }

    @Test func aRefusedUploadLeavesNothingBehind() async throws {
        let scene = try await Scene(settings: settings(perProject: 1, perUser: 0))
        let member = try await scene.client(.member)
        #expect(try await statuses(1, member) == [200])
        let (head, batch) = (try await member.head(), UUID().uuidString)
        #expect(try await member.upload(created: [["id": "t", "name": "T"]], batch: batch).status == 429)
        #expect(try await member.head() == head)
        #expect(try await member.task("t") == nil)
        scene.clock.advance(by: .seconds(60))
        let retry = try await member.upload(created: [["id": "t", "name": "T"]], batch: batch)
        #expect(retry.status == 200)
        #expect(retry.header("Idempotent-Replayed") == nil)
    }

    @Test func zeroIsNoLimit() async throws {
        let scene = try await Scene(settings: settings(perProject: 0, perUser: 0))
        #expect(try await statuses(125, scene.client(.member)) == passes(125))
    }

    /// Everybody receives a row again that somebody's edit was refused for.
    @Test func refusalsDeliverAThousandRowsAgainInAMinute() async throws {
        let scene = try await Scene()
        let ids = (0..<400).map { "t\($0)" }
        try await scene.insertTasks(ids)
        let viewer = try await scene.client(.viewer)
        let rows = ids.map { id -> JSON in ["id": .string(id), "name": "Mine"] }
        func send() async throws -> Answer {
            try await viewer.upload(updated: rows, members: ["on_error": "repair"])
        }
        let heads = try await [send().at("/timestamp"), send().at("/timestamp")]
        #expect(heads[0] != heads[1])
        let third = try await send()
        #expect(third.status == 429 && third.code == "rate_limited" && third.header("Retry-After") == "12")
        #expect(try await viewer.drain().timestamp == heads[1]?.int)
        scene.clock.advance(by: .seconds(12))
        #expect(try await send().status == 200)
    }

    @Test func aBatchWithForbiddenRowsCostsOneToo() async throws {
        let scene = try await Scene(settings: settings(perProject: 2, perUser: 0))
        let viewer = try await scene.client(.viewer)
        let answers = try await (0..<3).asyncMap { _ in
            try await viewer.upload(created: [["id": "t", "name": "T"]]).status
        }
        #expect(answers == [403, 403, 429])
    }

    @Test func aBatchWithBadRowsCostsOneTooAndComesBehindTheLimit() async throws {
        let scene = try await Scene(settings: settings(perProject: 2, perUser: 0))
        let member = try await scene.client(.member)
        let answers = try await (0..<3).asyncMap { _ in try await member.upload(created: [["id": "t"]]).status }
        #expect(answers == [400, 400, 429])
    }

    @Test func whatIsRefusedBeforeTheLimitCostsNothing() async throws {
        let scene = try await Scene(settings: settings(perProject: 1, perUser: 1))
        let member = try await scene.client(.member)
        for _ in 0..<3 {
            #expect(try await member.upload(members: ["last_pulled_at": 999]).status == 409)
            #expect(try await member.upload(members: ["client_batch_id": "no"]).status == 400)
        }
        #expect(try await statuses(2, member) == [200, 429])
        try await scene.archive()
        #expect(try await member.post(Batch.empty).code == "project_archived")
    }
}

extension Sequence {
    fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async throws -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
