import Foundation
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// An upload never tells of a row that its sender may not see, and never delivers such a row again.
@Suite struct HiddenUploadTests {
    /// A mode of conflicts and one of errors.
    struct Modes: Sendable {
        let onConflict: String
        let onError: String

        static let all = ["overwrite", "newest", "merge", "reject"].flatMap { conflict in
            ["reject_batch", "reject_rows", "repair"].map { Modes(onConflict: conflict, onError: $0) }
        }

        var members: [String: JSON] {
            ["on_conflict": .string(onConflict), "on_error": .string(onError), "last_pulled_at": 1]
        }
    }

    /// A hidden row in the scene of `fill`, for a role that may not see it, and an edit of it.
    private static let hidden: [(collection: String, role: Role, fields: [String: JSON])] = [
        ("time_entries", .member, ["task": "t1", "minutes": 99, "entry_date": "2026-01-05", "note": "mine"]),
        ("time_entries", .viewer, ["task": "t1", "minutes": 99, "entry_date": "2026-01-05", "note": "mine"]),
        ("sprint_retros", .viewer, ["sprint": "s1", "notes": "mine"]),
        ("retro_action_items", .viewer, ["retro": "re1", "text": "mine"]),
    ]

    /// Plants a hidden row that is live and one that is deleted, both edited since the sender's base.
    private func plant(_ scene: Scene, _ collection: String, _ fields: [String: JSON]) async throws {
        try await scene.fill()
        try await scene.bench.edit(as: .admin) { editor in
            for id in ["live", "dead"] where collection != "sprint_retros" || id == "dead" {
                if collection == "sprint_retros" {
                    try editor.insert("sprints", "s9", Scene.sprint)
                    try editor.insert(collection, id, ["sprint": "s9"])
                } else {
                    try editor.insert(collection, id, fields.merging(["note": "theirs"]) { $1 })
                }
            }
        }
        try await scene.bench.edit(as: .admin) { editor in
            let secret = collection == "time_entries" ? ["note": "secret"] : ["text": "secret"] as [String: JSON]
            if collection == "sprint_retros" {
                try editor.update(collection, "re1", ["notes": "secret"])
            } else {
                try editor.update(collection, "live", secret)
            }
            try editor.delete(collection, "dead")
        }
    }

    @Test(arguments: Modes.all, ["created", "updated", "deleted"])
    func aHiddenRowLooksLikeOneThatNeverWas(modes: Modes, bucket: String) async throws {
        for (collection, role, fields) in Self.hidden {
            let scene = try await Scene()
            try await plant(scene, collection, fields)
            let client = try await scene.client(role)
            let live = collection == "sprint_retros" ? "re1" : "live"
            let head = try await scene.bench.head()
            let digest = try await client.send("GET", client.syncPath + "digest/").text
            var seen: [String: Impression] = [:]
            for id in [live, "dead", "never"] {
                var row = fields.merging(["id": .string(id), "modified_at": "2026-05-01T10:00:00.000Z"]) { $1 }
                row["sprint"] = collection == "sprint_retros" ? "s9" : nil
                let element: JSON = bucket == "deleted" ? .string(id) : .object(row)
                let members = modes.members.merging(["changes": [collection: [bucket: [element]]]]) { $1 }
                let batch = "6f9619ff-8b86-d011-b42d-00c04fc96\(id == live ? "001" : id == "dead" ? "002" : "003")"
                let answer = try await client.upload(batch: batch, members: members)
                #expect(!answer.text.contains("secret") && !answer.text.contains("theirs"), "\(answer.text)")
                let again = try await client.upload(batch: batch, members: members)
                #expect(again.body == answer.body || answer.status != 200, "a replay is the same")
                if id != "never", bucket != "deleted" {
                    let isNew = bucket == "created" && role == .viewer
                    expectRefused(answer, id, collection, isNew ? "forbidden" : "id_unavailable", modes)
                }
                let neutral = Answer(
                    status: answer.status, headers: answer.headers,
                    body: Data(answer.text.replacing(batch, with: "").utf8))
                seen[id] = Impression(neutral, of: id)
            }
            let place = "\(collection) by \(role), \(modes), \(bucket)"
            #expect(seen[live] == seen["dead"], "\(place)")
            // A member's new time entry is a real row.
            if role == .viewer || bucket == "deleted" { #expect(seen[live] == seen["never"], "\(place)") }
            if role == .viewer || bucket == "deleted" { #expect(try await scene.bench.head() == head, "\(place)") }
            for id in [live, "dead"] {
                #expect(try await scene.bench.record(collection, id)!.seq <= head, "\(place): delivered again")
            }
            if role == .viewer {
                #expect(try await client.send("GET", client.syncPath + "digest/").text == digest, "\(place)")
            }
            for entry in try await client.inbox() {
                #expect(entry.hasSuffix(" null") && !entry.contains("secret"), "\(place): \(entry)")
            }
        }
    }

    private func expectRefused(_ answer: Answer, _ id: String, _ collection: String, _ code: String, _ modes: Modes) {
        if modes.onError == "reject_batch" {
            #expect(answer.verdict == (code == "forbidden" ? "403 forbidden" : "409 id_unavailable"), "\(answer.text)")
        } else {
            #expect(answer.at("/rejected/\(collection)/0/code") == .string(code), "\(answer.text)")
            #expect(answer.at("/rejected_ids") == [collection: [.string(id)]], "\(answer.text)")
            #expect(answer.at("/conflicts") == [:], "\(answer.text)")
        }
    }

    /// Somebody sees a conflict, then loses the sight of the row, and sends the batch again.
    @Test func aReplayLeavesOutValuesThatTheSenderMayNotSeeAnyMore() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        let since = try await member.head()
        try await admin.upload("sprint_retros", updated: [["id": "re1", "notes": "secret"]])
        let batch = UUID().uuidString
        let members: [String: JSON] = [
            "on_conflict": "merge", "last_pulled_at": .int(since),
            "changes": ["sprint_retros": ["updated": [["id": "re1", "notes": "mine"]]]],
        ]
        let first = try await member.upload(batch: batch, members: members)
        #expect(first.at("/conflicts/sprint_retros/0/server_values/notes") == "secret", "\(first.text)")
        #expect(try await member.upload(batch: batch, members: members).body == first.body)
        try await scene.setRole(of: .member, to: .viewer)
        let again = try await member.upload(batch: batch, members: members)
        #expect(again.status == 200 && again.header("Idempotent-Replayed") == "true")
        #expect(!again.text.contains("secret"), "\(again.text)")
        #expect(again.at("/conflicts/sprint_retros/0/client_values/notes") == "mine")
        #expect(try await member.inbox() == ["notes conflict \"mine\" null"])
        try await scene.setRole(of: .member, to: .member)
        #expect(try await member.upload(batch: batch, members: members).body == first.body)
    }

    /// The value that overwrote an edit is in its author's inbox, but not if they may not see the row any more.
    @Test func anOverwrittenEditDoesNotShowAValueThatItsAuthorMayNotSee() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        let since = try await admin.head()
        try await member.upload("sprint_retros", updated: [["id": "re1", "notes": "mine"]])
        try await scene.setRole(of: .member, to: .viewer)
        let answer = try await admin.upload(
            "sprint_retros", updated: [["id": "re1", "notes": "secret", "modified_at": "2027-01-01T00:00:00.000Z"]],
            members: ["on_conflict": "newest", "last_pulled_at": .int(since)])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await member.inbox().allSatisfy { !$0.contains("secret") })
    }
}
