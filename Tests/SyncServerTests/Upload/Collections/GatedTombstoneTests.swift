import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// If an upload delivers the tombstone of a gated row again, everybody who could have the row gets it.
@Suite struct GatedTombstoneTests {
    /// The retro is deleted while a phone drains. Then somebody sends an edit of it, which moves the tombstone above
    /// the head that the drain pinned.
    @Test func aPhoneInTheMiddleOfADrainLosesTheRowWithTheNextOne() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (phone, other) = (try await scene.client(.scheduler), try await scene.client(.admin))
        let since = try await phone.drain().timestamp
        try await other.remove("sprint_retros", "re1")
        // The first page has this task.
        try await other.patch("tasks", "t1", ["notes": "x"])
        let first = try await phone.drain(since: since, pageSize: 1) { page in
            guard page == 1 else { return }
            let late = try await other.upload("sprint_retros", updated: [["id": "re1", "notes": "late"]])
            #expect(late.at("/skipped/sprint_retros/0/code") == "deleted", "\(late.text)")
        }
        let second = try await phone.drain(since: first.timestamp)
        #expect(first.isDeleted("sprint_retros", "re1") || second.isDeleted("sprint_retros", "re1"))
        #expect(first.isDeleted("retro_action_items", "ai1") || second.isDeleted("retro_action_items", "ai1"))
    }

    /// A phone creates a row under the id of a row that it knows to be deleted.
    @Test func theSenderOfADeletedRowLosesIt() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let phone = try await scene.client(.member)
        try await phone.remove("retro_action_items", "ai1")
        let since = try await phone.drain().timestamp
        let row: JSON = ["id": "ai1", "retro": "re1", "text": "Again"]
        let answer = try await phone.upload("retro_action_items", created: [row])
        #expect(answer.at("/skipped/retro_action_items/0/code") == "deleted", "\(answer.text)")
        #expect(try await phone.drain(since: since).isDeleted("retro_action_items", "ai1"))
    }

    /// A phone creates a row under a parent that was deleted meanwhile.
    @Test func theSenderOfAnOrphanLosesIt() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let phone = try await scene.client(.member)
        let since = try await phone.drain().timestamp
        try await scene.client(.admin).remove("sprint_retros", "re1")
        let row: JSON = ["id": "ai9", "retro": "re1", "text": "Late"]
        let answer = try await phone.upload("retro_action_items", created: [row])
        #expect(answer.at("/skipped/retro_action_items/0/code") == "parent_deleted", "\(answer.text)")
        #expect(try await phone.drain(since: since).isDeleted("retro_action_items", "ai9"))
        // Nobody learns of it who may not see such rows.
        let viewer = try await scene.client(.viewer).drain(since: since)
        #expect(viewer.deleted.isEmpty, "\(viewer.deleted)")
    }
}
