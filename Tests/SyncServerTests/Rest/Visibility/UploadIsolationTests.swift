import Foundation
import SyncAccounts
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Uploads to one project that name rows of another.
@Suite struct UploadIsolationTests {
    private static let states = ["live", "dead", "none"]

    /// The impressions of batches about a row of `p2` in each state.
    /// The batch id is the client's own and is taken out too.
    private func impressions(
        _ client: Client, collection: String = "tasks", states: [String] = states,
        _ batch: (JSON) -> [String: [JSON]]
    ) async throws -> [Impression] {
        var seen: [Impression] = []
        for state in states {
            let id = TwoProjects.id(state, collection, in: "p2")
            let buckets = batch(.string(id))
            let answer = try await client.upload(
                created: buckets["created"] ?? [], updated: buckets["updated"] ?? [],
                deleted: buckets["deleted"] ?? [], batch: "6f9619ff-8b86-d011-b42d-00c04fc964ff")
            seen.append(Impression(answer, of: id))
        }
        return seen
    }

    @Test(arguments: ["created", "updated"]) func aForeignRowIsNeitherChangedNorTold(bucket: String) async throws {
        let two = try await TwoProjects()
        let member = try await two.scene.client(.member)
        let (head, before) = (try await two.other.head(), try await two.other.record("tasks", "p2-live-tasks"))
        let seen = try await impressions(member, states: ["live", "dead"]) { id in
            [bucket: [["id": id, "name": "MINE"]]]
        }
        #expect(Set(seen).count == 1, "\(seen)")
        #expect(seen[0].status == 409 && seen[0].body.contains("id_unavailable"), "\(seen[0])")
        #expect(try await two.other.head() == head)
        #expect(try await two.other.record("tasks", "p2-live-tasks") == before)
    }

    @Test func aDeleteOfAForeignRowIsSkippedAsOfNone() async throws {
        let two = try await TwoProjects()
        let before = try await two.other.head()
        var seen: [Impression] = []
        // A different member each time, so the same batch id counts as new.
        for (role, state) in zip([Role.member, .scheduler, .admin], Self.states) {
            let client = try await two.scene.client(role)
            seen += try await impressions(client, states: [state]) { ["deleted": [$0]] }
        }
        #expect(Set(seen).count == 1, "\(seen)")
        #expect(seen[0].status == 200 && seen[0].body.contains("not_found"), "\(seen[0])")
        #expect(try await two.other.head() == before)
        #expect(try await two.other.record("tasks", "p2-live-tasks")?.isDeleted == false)
    }

    @Test(arguments: [("parent", "tasks"), ("sprint", "sprints")])
    func aForeignRowIsNotReferredTo(field: String, collection: String) async throws {
        let two = try await TwoProjects()
        let member = try await two.scene.client(.member)
        let head = try await two.scene.bench.head()
        for bucket in ["created", "updated"] {
            let id: JSON = bucket == "created" ? "fresh" : "p1-live-tasks"
            let seen = try await impressions(member, collection: collection) { target in
                [bucket: [.object(["id": id, "name": "A", field: target])]]
            }
            #expect(Set(seen).count == 1, "\(bucket): \(seen)")
            #expect(seen[0].status == 400 && seen[0].body.contains("unknown_reference"), "\(bucket): \(seen[0])")
        }
        #expect(try await two.scene.bench.head() == head)
    }

    @Test func aForeignUserIsNotAssigned() async throws {
        let two = try await TwoProjects()
        let member = try await two.scene.client(.member)
        var seen: Set<Impression> = []
        for user in [two.other.caller(.owner).userID, 99_999] {
            let answer = try await member.upload(created: [["id": "fresh", "name": "A", "assignee": .int(user)]])
            seen.insert(Impression(answer, of: String(user)))
        }
        #expect(seen.count == 1 && seen.first?.status == 400, "\(seen)")
    }

    @Test func nobodyUploadsToAProjectThatIsNotTheirs() async throws {
        let two = try await TwoProjects()
        for (who, client) in try await two.callers() where who != "owner of p2" {
            var client = client
            client.project = "p2"
            let answer = try await client.upload(
                updated: [["id": "p2-live-tasks", "name": "MINE"]], deleted: ["p2-live-tasks"])
            #expect(answer.status == (who == "nobody" ? 401 : 403), "\(who): \(answer.text)")
        }
        #expect(try await two.other.record("tasks", "p2-live-tasks")?.isDeleted == false)
    }
}
