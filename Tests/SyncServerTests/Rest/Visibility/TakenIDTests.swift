import Foundation
import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

/// An id that is taken is refused in the same words, whoever has it.
@Suite struct TakenIDTests {
    @Test func allTakenIDsAreRefusedAlike() async throws {
        let two = try await TwoProjects()
        let owner = try await two.scene.client(.owner)
        let heads = (try await two.scene.bench.head(), try await two.other.head())
        for collection in two.collections.map(\.name) {
            var fields = try #require(two.ours[collection]).fields
            if collection == "memberships" { fields["user"] = .int(two.former) }
            var impressions: Set<Impression> = []
            for id in takenIDs(collection) {
                let body = JSON.object(fields.merging(["id": .string(id)]) { $1 })
                impressions.insert(Impression(try await owner.create(collection, body), of: id))
            }
            #expect(impressions.count == 1, "\(collection): \(impressions)")
            #expect(impressions.first?.status == 409, "\(collection): \(impressions)")
            #expect(impressions.first?.body.contains(#""code":"id_unavailable""#) == true, "\(collection)")
        }
        #expect(heads == (try await two.scene.bench.head(), try await two.other.head()))
    }

    private func takenIDs(_ collection: String) -> [String] {
        ["p1", "p2"].flatMap { project in
            ["live", "dead"].map { TwoProjects.id($0, collection, in: project) }
        }
    }

    /// Somebody else's time entry in the same project.
    @Test func anIDThatAHiddenRowHasIsRefusedLikeAForeignOne() async throws {
        let two = try await TwoProjects()
        let member = try await two.scene.client(.member)
        let task = JSON.string(TwoProjects.id("live", "tasks", in: "p1"))
        var impressions: Set<Impression> = []
        for id in takenIDs("time_entries") {
            let body: JSON = ["id": .string(id), "task": task, "minutes": 5, "entry_date": "2026-01-05"]
            impressions.insert(Impression(try await member.create("time_entries", body), of: id))
        }
        #expect(impressions.count == 1 && impressions.first?.status == 409, "\(impressions)")
    }

    @Test func whoMayNotCreateDoesNotLearnWhetherAnIDIsTaken() async throws {
        let two = try await TwoProjects()
        let viewer = try await two.scene.client(.viewer)
        for collection in two.collections.map(\.name) {
            var impressions: Set<Impression> = []
            for id in takenIDs(collection) + ["fresh"] {
                let body = JSON.object(["id": .string(id)])
                impressions.insert(Impression(try await viewer.create(collection, body), of: id))
            }
            #expect(impressions.count == 1 && impressions.first?.status == 403, "\(collection): \(impressions)")
        }
    }

    @Test func aTakenProjectIDIsRefusedAlikeWhoeverOwnsIt() async throws {
        let two = try await TwoProjects()
        let third = try await two.scene.otherProject("p3")
        try await third.edit { try $0.delete("projects", "p3") }
        let owner = try await two.scene.client(.owner)
        var impressions: Set<Impression> = []
        for id in ["p1", "p2", "p3"] {
            let body: JSON = ["id": .string(id), "name": "A", "start_date": "2026-01-05"]
            impressions.insert(Impression(try await owner.create("projects", body), of: id))
        }
        #expect(impressions.count == 1 && impressions.first?.status == 409, "\(impressions)")
    }
}
