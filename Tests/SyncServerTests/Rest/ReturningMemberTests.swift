import SyncProtocol
import SyncStore
import SyncTestKit
import Testing

/// Ids of rows that somebody never saw stay unknown to them, whatever happens to their membership.
@Suite struct ReturningMemberTests {
    private func leaveAndComeBack(_ scene: Scene, _ owner: Client, as role: JSON) async throws {
        let user = scene.userID(.viewer)
        try await owner.remove("memberships", try await owner.membership(of: user))
        #expect(try await owner.create("memberships", ["user": user, "role": role]).status == 201)
    }

    @Test func aViewerWhoComesBackHearsNothingOfWhatWasNeverSeen() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (owner, viewer) = (try await scene.client(.owner), try await scene.client(.viewer))
        let before = try await viewer.drain()
        try await leaveAndComeBack(scene, owner, as: 1)
        let after = try await viewer.drain(since: before.timestamp)
        #expect(after.deleted.allSatisfy { $0.collection == "memberships" }, "\(after.deleted)")
        let kept = before.rows.merging(after.rows) { $1 }.filter { !after.deleted.contains($0.key) }
        #expect(kept == (try await viewer.drain()).rows)
    }

    @Test func whatWasMadeAfterADemotionStaysUnknownOverALaterReturn() async throws {
        let scene = try await Scene()
        try await scene.fill()
        try await scene.insertSprint("s2")
        let (owner, viewer) = (try await scene.client(.owner), try await scene.client(.viewer))
        let id = try await owner.membership(of: scene.userID(.viewer))
        try await owner.patch("memberships", id, ["role": 100])
        let asMember = try await viewer.drain()
        try await owner.patch("memberships", id, ["role": 1])
        let asViewer = try await viewer.drain(since: asMember.timestamp)
        #expect(asViewer.isDeleted("sprint_retros", "re1") && asViewer.isDeleted("retro_action_items", "ai1"))
        try await owner.create("sprint_retros", ["id": "re2", "sprint": "s2"])
        try await leaveAndComeBack(scene, owner, as: 1)
        let after = try await viewer.drain(since: asViewer.timestamp)
        #expect(after.deleted.allSatisfy { $0.collection == "memberships" }, "\(after.deleted)")
    }

    @Test func aRiseUndoneByALeaveTakesBackWhatItShowed() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (owner, viewer) = (try await scene.client(.owner), try await scene.client(.viewer))
        let id = try await owner.membership(of: scene.userID(.viewer))
        try await owner.patch("memberships", id, ["role": 200])
        let before = try await viewer.drain()
        try await leaveAndComeBack(scene, owner, as: 1)
        let after = try await viewer.drain(since: before.timestamp)
        #expect(after.isDeleted("sprint_retros", "re1") && after.isDeleted("retro_action_items", "ai1"))
    }

    /// It was open to others meanwhile.
    @Test func whatWasOpenedAndClosedWhileSomebodyWasAwayStaysUnknown() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (owner, viewer) = (try await scene.client(.owner), try await scene.client(.viewer))
        let before = try await viewer.drain()
        let user = scene.userID(.viewer)
        try await owner.remove("memberships", try await owner.membership(of: user))
        for visibility in ["project", "team_only"] as [JSON] {
            try await owner.patch("sprint_retros", "re1", ["team_visibility": visibility])
        }
        try await owner.create("memberships", ["user": user, "role": 1])
        let after = try await viewer.drain(since: before.timestamp)
        #expect(after.deleted.allSatisfy { $0.collection == "memberships" }, "\(after.deleted)")
    }

    @Test func whatWasDeletedBeforeARiseThatIsUndoneStaysUnknown() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let (owner, viewer) = (try await scene.client(.owner), try await scene.client(.viewer))
        let before = try await viewer.drain()
        try await owner.remove("sprint_retros", "re1")
        let id = try await owner.membership(of: scene.userID(.viewer))
        for role in [100, 1] as [JSON] { try await owner.patch("memberships", id, ["role": role]) }
        let after = try await viewer.drain(since: before.timestamp)
        #expect(after.deleted.isEmpty, "\(after.deleted)")
    }

    /// Retros are opened, closed and deleted, while somebody joins, leaves and changes roles. An id comes in `deleted`
    /// exactly if that person could see its row at some moment since the last drain.
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func exactlyWhatCouldBeSeenSinceIsTakenBack(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let scene = try await Scene()
        var story = Story(owner: try await scene.client(.owner), caller: try await scene.client(.viewer))
        story.user = scene.userID(.viewer)
        for index in 0..<3 { try await scene.insertSprint("s\(index)") }
        try await story.look()
        for step in 1...40 {
            try await story.change(&random)
            try await story.look()
            if random.oneIn(4) { try await story.pull("seed \(seed), step \(step)") }
        }
        try await story.pull("seed \(seed), at the end")
    }

    /// What happens to the gated rows of a project, and what one member sees and has.
    private struct Story {
        let owner: Client
        let caller: Client
        var user: JSON = .null
        /// The sprints that have a retro, and whether it is open.
        private var retros: [String: Bool] = [:]
        private var isMember = true
        private var serial = 0
        /// The rows that the caller could see, by the project's head.
        private var visible: [Int64: Set<RowKey>] = [:]
        private var replica: Set<RowKey> = []
        private var since: Int64 = 0

        init(owner: Client, caller: Client) {
            self.owner = owner
            self.caller = caller
        }

        mutating func change(_ random: inout SeededGenerator) async throws {
            let sprint = "s\(random.below(3))"
            serial += 1
            switch random.below(8) {
            case 0, 1: try await setRole(random.pick([1, 1, 100, nil] as [Int64?])!)
            case 2 where retros[sprint] != nil:
                try await owner.remove("sprint_retros", retro(sprint))
                retros[sprint] = nil
            case 3 where retros[sprint] != nil:
                try await owner.create(
                    "retro_action_items", ["id": .string("a\(serial)"), "retro": .string(retro(sprint)), "text": "Do"])
            default: try await turn(sprint)
            }
        }

        private var names: [String: String] = [:]

        private func retro(_ sprint: String) -> String { names[sprint] ?? "none" }

        /// Makes, opens or closes the retro of a sprint.
        private mutating func turn(_ sprint: String) async throws {
            let isOpen = !(retros[sprint] ?? true)
            let visibility: JSON = isOpen ? "project" : "team_only"
            if retros[sprint] == nil {
                names[sprint] = "r\(serial)"
                let row: JSON = [
                    "id": .string(retro(sprint)), "sprint": .string(sprint), "team_visibility": visibility,
                ]
                #expect(try await owner.create("sprint_retros", row).status == 201)
            } else {
                try await owner.patch("sprint_retros", retro(sprint), ["team_visibility": visibility])
            }
            retros[sprint] = isOpen
        }

        private mutating func setRole(_ role: Int64?) async throws {
            let id = try await owner.membership(of: user)
            if let role, isMember {
                try await owner.patch("memberships", id, ["role": .int(role)])
            } else if let role {
                try await owner.create("memberships", ["user": user, "role": .int(role)])
            } else if isMember {
                try await owner.remove("memberships", id)
            }
            isMember = role != nil
        }

        private static let gated: Set = ["sprint_retros", "retro_action_items"]

        mutating func look() async throws {
            let head = try await owner.head()
            visible[head] = isMember ? Set(try await caller.drain().rows.keys.filter(Self.isGated)) : []
        }

        private static func isGated(_ key: RowKey) -> Bool { gated.contains(key.collection) }

        /// If the caller is not a member now, they keep what they have.
        mutating func pull(_ place: String) async throws {
            guard isMember else { return }
            let drain = try await caller.drain(since: since, pageSize: 3)
            let taken = drain.deleted.filter(Self.isGated)
            let seen = visible.filter { $0.key >= since }.values.reduce(into: Set()) { $0.formUnion($1) }
            // A replacement names what is gone, whoever saw it, but nothing that is behind the gate now.
            #expect(since == 0 || taken.isSubset(of: seen), "\(place): \(taken.subtracting(seen)) was never seen")
            replica = replica.subtracting(taken).union(drain.rows.keys.filter(Self.isGated))
            since = drain.timestamp
            #expect(replica == visible[since], "\(place)")
        }
    }
}
