import SyncAccounts
import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Rows that become visible and invisible, in every way that REST allows, at every moment of a drain.
@Suite struct VisibilityChangeTests {
    /// When the change commits, relative to a drain of the caller.
    enum Moment: CaseIterable { case before, betweenPages, twiceBetweenPages }

    /// A change and the change that undoes it, both made by the owner.
    enum Change: CaseIterable {
        case role, retro

        func set(_ isVisible: Bool, _ owner: Client, _ scene: Scene) async throws {
            switch self {
            case .role:
                let id = try await owner.membership(of: scene.userID(.viewer))
                try await owner.patch("memberships", id, ["role": isVisible ? 100 : 1])
            case .retro:
                let visibility: JSON = isVisible ? "project" : "team_only"
                try await owner.patch("sprint_retros", "re1", ["team_visibility": visibility])
            }
        }
    }

    private static let gated: Set = [RowKey("sprint_retros", "re1"), RowKey("retro_action_items", "ai1")]

    /// What the caller has after a drain from 0, then the change at its moment, then drains until nothing is new.
    private func replica(
        _ change: Change, toVisible isVisible: Bool, _ moment: Moment, pageSize: Int
    ) async throws -> (had: Set<RowKey>, deleted: Set<RowKey>, rows: [RowKey: JSON], truth: [RowKey: JSON]) {
        let scene = try await Scene()
        try await scene.fill()
        let (owner, caller) = (try await scene.client(.owner), try await scene.client(.viewer))
        try await change.set(!isVisible, owner, scene)
        let first = try await caller.drain()
        for id in ["t1", "t2", "t3"] { try await owner.patch("tasks", id, ["name": "More than one page"]) }
        if moment == .before { try await change.set(isVisible, owner, scene) }
        var (rows, since) = (first.rows, first.timestamp)
        var deleted: Set<RowKey> = []
        for round in 0..<3 {
            let drain = try await drain(caller, since, pageSize) { page in
                guard round == 0, page == 1, moment != .before else { return }
                try await change.set(isVisible, owner, scene)
                guard moment == .twiceBetweenPages else { return }
                try await change.set(!isVisible, owner, scene)
                try await change.set(isVisible, owner, scene)
            }
            rows = rows.merging(drain.rows) { $1 }.filter { !drain.deleted.contains($0.key) }
            deleted.formUnion(drain.deleted)
            since = drain.timestamp
        }
        return (Set(first.rows.keys), deleted, rows, try await caller.drain().rows)
    }

    /// A drain that begins again if a change of role makes its cursor invalid. Rows of the pages before that are kept.
    private func drain(
        _ client: Client, _ since: Int64, _ pageSize: Int, between: (Int) async throws -> Void
    ) async throws -> Drain {
        var (drain, cursor) = (Drain(), String?.none)
        for page in 1...1000 {
            var parameters = ["since": String(since), "page_size": String(pageSize)]
            parameters["cursor"] = cursor
            let answer = try await client.page(parameters)
            if answer.code == "invalid_cursor" {
                (drain, cursor) = (Drain(), nil)
                continue
            }
            cursor = drain.take(answer, pageSize: pageSize)
            guard cursor != nil else { return drain }
            try await between(page)
        }
        Issue.record("the drain does not end")
        return drain
    }

    @Test(arguments: Change.allCases, Moment.allCases)
    func whatIsHiddenIsTakenBack(change: Change, moment: Moment) async throws {
        for pageSize in [1, 2] {
            let end = try await replica(change, toVisible: false, moment, pageSize: pageSize)
            #expect(Self.gated.isSubset(of: end.had) && Self.gated.isSubset(of: end.deleted))
            #expect(Self.gated.isDisjoint(with: end.rows.keys) && end.rows == end.truth, "page size \(pageSize)")
        }
    }

    @Test(arguments: Change.allCases, Moment.allCases)
    func whatIsShownIsDelivered(change: Change, moment: Moment) async throws {
        for pageSize in [1, 2] {
            let end = try await replica(change, toVisible: true, moment, pageSize: pageSize)
            #expect(Self.gated.isDisjoint(with: end.had))
            #expect(Self.gated.isSubset(of: end.rows.keys) && end.rows == end.truth, "page size \(pageSize)")
        }
    }

    @Test func editsAndTheEndOfAnUnseenRetroDoNotTravel() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (member, viewer) = (try await scene.client(.member), try await scene.client(.viewer))
        let before = try await viewer.drain()
        try await member.patch("sprint_retros", "re1", ["notes": "Secret"])
        try await member.patch("retro_action_items", "ai1", ["text": "Secret"])
        try await member.remove("sprint_retros", "re1")
        let after = try await viewer.drain(since: before.timestamp, pageSize: 1)
        #expect(after.rows.isEmpty && after.deleted.isEmpty)
    }

    @Test func anItemThatMovesBehindAGateIsTakenBackAndOneThatMovesOutIsDelivered() async throws {
        let scene = try await Scene()
        try await scene.fill()
        try await scene.insertSprint("s2")
        let (member, viewer) = (try await scene.client(.member), try await scene.client(.viewer))
        try await member.create("sprint_retros", ["id": "re2", "sprint": "s2", "team_visibility": "project"])
        var since = try await viewer.drain().timestamp
        for (retro, isVisible) in [("re2", true), ("re1", false), ("re2", true)] {
            try await member.patch("retro_action_items", "ai1", ["retro": .string(retro)])
            let drain = try await viewer.drain(since: since)
            #expect(drain.isDeleted("retro_action_items", "ai1") == !isVisible)
            #expect((drain.row("retro_action_items", "ai1") != nil) == isVisible)
            since = drain.timestamp
        }
    }
}
