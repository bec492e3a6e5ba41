import Foundation
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Retros for the team only, and their action items: for a VIEWER they do not exist.
@Suite struct HiddenRowTests {
    private func scene() async throws -> Scene {
        let scene = try await Scene()
        try await scene.insertSprint("s1")
        try await scene.insertSprint("s2")
        try await scene.insertTasks(["t1"])
        try await scene.bench.edit { editor in
            try editor.insert("sprint_retros", "closed", ["sprint": "s1", "notes": "SECRET"])
            try editor.insert("sprint_retros", "opened", ["sprint": "s2", "team_visibility": "project"])
            try editor.insert("retro_action_items", "inside", ["retro": "closed", "text": "SECRET"])
            try editor.insert("retro_action_items", "outside", ["retro": "opened", "text": "open"])
        }
        return scene
    }

    @Test(arguments: [("sprint_retros", "closed"), ("retro_action_items", "inside")])
    func aHiddenRowIsAsOneThatNeverWas(collection: String, id: String) async throws {
        let scene = try await scene()
        let viewer = try await scene.client(.viewer)
        for (method, body) in [("GET", nil), ("HEAD", nil), ("PATCH", "{}"), ("DELETE", nil)] as [(String, String?)] {
            var impressions: Set<Impression> = []
            for id in [id, "never-was"] {
                let answer = try await viewer.send(method, "/api/v1/\(collection)/\(id)/", body.map { Data($0.utf8) })
                impressions.insert(Impression(answer, of: id))
            }
            #expect(impressions.count == 1 && impressions.first?.status == 404, "\(method): \(impressions)")
        }
        #expect(try await scene.client(.member).read(collection, id).verdict == "200")
    }

    @Test func listsHoldWhatMayBeSeen() async throws {
        let scene = try await scene()
        for (role, retros, items) in [
            (Role.viewer, ["opened"], ["outside"]), (.member, ["closed", "opened"], ["inside", "outside"]),
        ] {
            let client = try await scene.client(role)
            for (collection, ids) in [("sprint_retros", retros), ("retro_action_items", items)] {
                let answer = try await client.list(collection)
                #expect(
                    answer.at("/results")?.array?.compactMap { $0["id"]?.string } == ids, "\(collection) by \(role)")
                #expect(answer.text.contains("SECRET") == (role == .member))
                let pages = try await client.list(collection, "?limit=1")
                let next = pages.at("/next")?.string.flatMap(CreationPosition.init)
                #expect(next?.id == (ids.count == 1 ? nil : ids[0]), "no cursor to what is hidden")
            }
        }
    }

    @Test func aReferenceToAHiddenRetroIsRefusedAsToNone() async throws {
        let scene = try await scene()
        let viewer = try await scene.client(.viewer)
        var impressions: Set<Impression> = []
        for id in ["closed", "never-was", "opened"] {
            let body: JSON = ["retro": .string(id), "text": "A"]
            impressions.insert(Impression(try await viewer.create("retro_action_items", body), of: id))
            impressions.insert(
                Impression(try await viewer.patch("retro_action_items", "outside", ["retro": .string(id)]), of: id))
        }
        #expect(impressions.allSatisfy { $0.status == 403 })
        #expect(impressions.count == 2, "one for the create, one for the patch: \(impressions)")
    }

    @Test func whatIsClosedOrOpenedFollowsAtOnce() async throws {
        let scene = try await scene()
        let (viewer, owner) = (try await scene.client(.viewer), try await scene.client(.owner))
        try await owner.patch("sprint_retros", "closed", ["team_visibility": "org"])
        #expect(try await viewer.read("retro_action_items", "inside").verdict == "200")
        try await owner.patch("sprint_retros", "closed", ["team_visibility": "team_only"])
        #expect(try await viewer.read("retro_action_items", "inside").verdict == "404 not_found")
        // An action item becomes as visible as the retro that it is moved to.
        try await owner.patch("retro_action_items", "outside", ["retro": "closed"])
        #expect(try await viewer.read("retro_action_items", "outside").verdict == "404 not_found")
        try await owner.patch("retro_action_items", "inside", ["retro": "opened"])
        #expect(try await viewer.read("retro_action_items", "inside").verdict == "200")
    }

    @Test func aDemotionHidesAtOnce() async throws {
        let scene = try await scene()
        let member = try await scene.client(.member)
        #expect(try await member.read("sprint_retros", "closed").verdict == "200")
        try await scene.setRole(of: .member, to: .viewer)
        #expect(try await member.read("sprint_retros", "closed").verdict == "404 not_found")
        #expect(try await member.list("retro_action_items").text.contains("SECRET") == false)
    }
}
