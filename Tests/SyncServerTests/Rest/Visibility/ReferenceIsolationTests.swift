import Foundation
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

/// A field can't refer to a row that is not in the project, and
/// the refusal does not say whether that row exists elsewhere.
@Suite struct ReferenceIsolationTests {
    /// Every field of every collection that refers to a row, in creates and in patches.
    @Test func noRowRefersToAForeignOne() async throws {
        let two = try await TwoProjects()
        let owner = try await two.scene.client(.owner)
        let heads = (try await two.scene.bench.head(), try await two.other.head())
        var count = 0
        for collection in two.scene.registry.collections {
            for field in collection.fields where field.reference != nil {
                count += 1
                let target = field.reference!.collection
                let ids =
                    ["live", "dead", "none"].map { TwoProjects.id($0, target, in: "p2") }
                    + ["dead", "none"].map { TwoProjects.id($0, target, in: "p1") }
                try await expectRefusals(two, owner, collection, field, ids.map { .string($0) }, "unknown_reference")
            }
        }
        #expect(count == 15, "every reference of the built-in collections")
        #expect(heads == (try await two.scene.bench.head(), try await two.other.head()))
    }

    /// Users of other projects, former members, and users that do not exist. (A membership may name any user.)
    @Test func noRowRefersToAUserWhoIsNoMember() async throws {
        let two = try await TwoProjects()
        let owner = try await two.scene.client(.owner)
        let head = try await two.scene.bench.head()
        var count = 0
        for collection in two.collections where collection.scope == .ordinary {
            for field in collection.fields where field.user != nil && !field.isServerOwned {
                count += 1
                let users: [JSON] = [.int(two.other.caller(.owner).userID), .int(two.former), 99_999, -1]
                try await expectRefusals(two, owner, collection, field, users, "unknown_user")
            }
        }
        #expect(count == 4)
        #expect(try await two.scene.bench.head() == head)
    }

    private func expectRefusals(
        _ two: TwoProjects, _ client: Client, _ collection: Collection, _ field: Field, _ values: [JSON], _ code: String
    ) async throws {
        var impressions: Set<Impression> = []
        for value in values {
            let probe = value.string ?? value.text
            let isList = field.reference?.isList ?? false
            let own = JSON.string(TwoProjects.id("live", field.reference?.collection ?? "", in: "p1"))
            let change = [field.name: isList ? .array([own, value]) : value]
            for answer in try await answers(two, client, collection, change) {
                impressions.insert(Impression(answer, of: probe))
                #expect(
                    answer.verdict == "400 invalid_rows", "\(collection.name).\(field.name) \(probe): \(answer.text)")
                #expect(answer.errors == ["/\(field.name) \(code)"], "\(answer.text)")
            }
        }
        // One for the create and one for the patch: they differ in the row's id.
        #expect(impressions.count == 2, "\(collection.name).\(field.name): \(impressions)")
    }

    private func answers(
        _ two: TwoProjects, _ client: Client, _ collection: Collection, _ change: [String: JSON]
    ) async throws -> [Answer] {
        let old = two.ours[collection.name]
        let fields = old?.fields ?? Specimen("projects", "p9").fields
        let created = try await client.create(
            collection.name, .object(fields.merging(["id": "refused"]) { $1 }.merging(change) { $1 }))
        return [created, try await client.patch(collection.name, old?.id ?? "p1", .object(change))]
    }

    /// This is the one write that a VIEWER may make. The other fields in it reveal nothing either.
    @Test func aViewersDecisionDoesNotTellOfForeignTasks() async throws {
        let two = try await TwoProjects()
        let (scene, name) = (two.scene, "task_suggested_assignees")
        let specimen = Specimen(name, "sa", user: scene.userID(.viewer))
        try await scene.bench.plant([specimen], author: scene.bench.caller(.owner).userID)
        let viewer = try await scene.client(.viewer)
        var impressions: Set<Impression> = []
        for state in ["live", "dead", "none"] {
            let id = TwoProjects.id(state, "tasks", in: "p2")
            let answer = try await viewer.patch(name, "sa", ["task": .string(id), "state": "accepted"])
            impressions.insert(Impression(answer, of: id))
        }
        #expect(impressions.count == 1 && impressions.first?.status == 400, "\(impressions)")
        #expect(try await viewer.read(name, "sa").at("/state") == "pending")
    }
}
