import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// What lists of who sees a row mean elsewhere: rights, parts, histories, explanations, lost projects.
@Suite struct ListedReachTests {
    // MARK: Rights

    private static let rights: JSON = [
        "create": "VIEWER", "update": "ADMIN", "delete": "ADMIN", "listed": ["update"],
    ]

    @Test func theListedMayDoWhatTheSchemaSays() async throws {
        let scene = try await ListedScene(ListedScene.schemas(role: "MEMBER", ["update": "ADMIN", "delete": "ADMIN"]))
        try await scene.inspect("i", by: .viewer)
        #expect(try await scene.client(.viewer).patch("inspections", "i", ["text": "T"]).code == "forbidden")
        let open = try await ListedScene(Self.schemas(Self.rights))
        try await open.inspect("i", by: .viewer)
        let (viewer, member) = (open.client(.viewer), open.client(.member))
        #expect(try await viewer.patch("inspections", "i", ["text": "T"]).status == 200)
        #expect(try await viewer.remove("inspections", "i").code == "forbidden")
        #expect(try await member.patch("inspections", "i", ["text": "M"]).code == "forbidden")
        // Judged by the row before: nobody lets themselves in, and whoever gives a row away may do so.
        let own = open.user(.member)
        #expect(try await member.patch("inspections", "i", ["reviewers": [own]]).code == "forbidden")
        let entry: JSON = ["id": "i", "reviewers": [own], "text": "M"]
        #expect(try await member.upload("inspections", updated: [entry]).code == "forbidden")
        let leaving: JSON = ["id": "i", "assignee": own, "text": "given"]
        #expect(try await viewer.upload("inspections", updated: [leaving]).status == 200)
        #expect(try await member.read("inspections", "i").at("/text") == "given")
        #expect(try await viewer.read("inspections", "i").status == 404)
    }

    /// Members see all inspections; only those who are named may change one.
    private static func schemas(_ rights: JSON) -> [JSON] {
        ListedScene.schemas(role: "MEMBER").map { document in
            document["title"] == "inspections" ? document.setting(["x-roles": rights]) : document
        }
    }

    /// Whoever is listed for a row may give it away and delete it, in whatever order a server takes the two.
    @Test func aRowCanBeGivenAwayAndDeletedAtOnce() async throws {
        let scene = try await ListedScene(Self.schemas(Self.rights.setting(["listed": ["update", "delete"]])))
        try await scene.inspect("i", by: .viewer)
        let edit: JSON = ["id": "i", "assignee": scene.user(.member)]
        let answer = try await scene.client(.viewer).upload("inspections", updated: [edit], deleted: ["i"])
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try await scene.client(.admin).read("inspections", "i").status == 404)
        try scene.checkDatabase()
    }

    // MARK: Size

    @Test func aChangeOfSightThatIsTooLargeIsRefused() async throws {
        let scene = try await ListedScene()
        try await scene.inspect("i", by: .viewer)
        try await scene.scene.bench.edit { editor in
            for number in 0..<34_000 { try editor.insert("findings", "f\(number)", ["above": "i"]) }
        }
        let others = [Role.member, .scheduler, .admin].map(scene.user)
        let admin = scene.client(.admin)
        let answer = try await admin.patch("inspections", "i", ["reviewers": .array(others)])
        #expect(answer.status == 400 && answer.at("/errors/0/code") == "sight_too_large", "\(answer.text)")
        let update: JSON = ["id": "i", "reviewers": .array(others)]
        let batch = try await admin.upload(
            "inspections", created: [["id": "j"]], updated: [update], members: ["on_error": "reject_rows"])
        #expect(batch.at("/rejected/inspections/0/code") == "sight_too_large", "\(batch.text.prefix(300))")
        #expect(try await admin.read("inspections", "j").status == 200)
        #expect(try await admin.patch("inspections", "i", ["reviewers": .array(Array(others.prefix(2)))]).status == 200)
        #expect(try await scene.drain(.member, pageSize: 1000).rows.count == 34_001)
        try scene.checkDatabase()
    }

    // MARK: Parts, histories, explanations

    @Test func comingIntoSightIsComingIntoThePart() async throws {
        let schemas = ListedScene.schemas().map { document in
            guard document["title"] == "inspections" else {
                return document.setting(["x-follows": "above"])
            }
            let text: JSON = ["type": "string", "default": "", "maxLength": 20, "x-filterable": true]
            return document.setting(["properties": document["properties"]!.setting(["text": text])])
        }
        let scene = try await ListedScene(schemas)
        for id in ["i", "j"] {
            try await scene.inspect(id, by: .viewer)
            try await scene.add("findings", "f\(id)", to: id, by: .viewer)
        }
        try await scene.client(.admin).patch("inspections", "i", ["text": "urgent"])
        let filter = #"{"inspections":[{"text":"urgent"}]}"#
        let member = scene.client(.member)
        let first = try await member.filteredDrain(filter)
        #expect(first.ids("inspections").isEmpty)
        try await scene.client(.admin).patch("inspections", "i", ["reviewers": [scene.user(.member)]])
        try await scene.client(.admin).patch("inspections", "j", ["reviewers": [scene.user(.member)]])
        let seen = try await member.filteredDrain(filter, was: filter, since: first.timestamp)
        #expect(seen.ids("inspections") == ["i"] && seen.ids("findings") == ["fi"])
        try await scene.client(.admin).patch("inspections", "j", ["text": "urgent"])
        let moved = try await member.filteredDrain(filter, was: filter, since: seen.timestamp)
        #expect(moved.ids("inspections") == ["j"] && moved.ids("findings") == ["fj"])
        try await scene.client(.admin).patch("inspections", "i", ["text": "later"])
        let left = try await member.filteredDrain(filter, was: filter, since: moved.timestamp)
        #expect(Set(left.left.map(\.id)) == ["i", "fi"])
        let all = try await member.filteredDrain("{}", was: filter, since: left.timestamp)
        #expect(all.ids("inspections") == ["i"] && all.ids("findings") == ["fi"])
        try await scene.client(.admin).patch("inspections", "j", ["reviewers": []])
        let gone = try await member.filteredDrain(filter, was: "{}", since: all.timestamp)
        #expect(Set(gone.deleted.union(gone.left).map(\.id)) == ["i", "fi", "j", "fj"])
        let cold = try await scene.client(.viewer).filteredDrain(filter)
        #expect(cold.ids("inspections") == ["j"] && cold.ids("findings") == ["fj"])
    }

    @Test func aHistoryBeginsWithTheSight() async throws {
        let scene = try await ListedScene()
        try await scene.inspect("i", by: .viewer)
        let viewer = scene.client(.viewer)
        for text in ["secret", "as it was"] { try await viewer.patch("inspections", "i", ["text": .string(text)]) }
        try await viewer.patch("inspections", "i", ["reviewers": [scene.user(.member)]])
        try await viewer.patch("inspections", "i", ["text": "open"])
        let own = try await viewer.history("inspections", "i")
        #expect(own.entries.count == 5, "\(own.text)")
        let member = try await scene.client(.member).history("inspections", "i")
        #expect(member.entries.count == 1 && !member.text.contains("secret"), "\(member.text)")
        #expect(try await scene.client(.scheduler).history("inspections", "i").status == 404)
    }

    @Test func itIsExplained() async throws {
        let scene = try await ListedScene()
        _ = try await scene.scene.bench.user("root", isSuperuser: true)
        let root = try await scene.scene.client(named: "root")
        try await scene.inspect("i", by: .viewer, .member)
        try await scene.add("findings", "f", to: "i", by: .viewer)
        let since = try await scene.head()
        let listed = try await root.explain("member-p1", "findings", "f")
        #expect(listed.at("/sees") == true && listed.at("/delivered_as") == "row")
        #expect(listed.reasons == ["member", "listed", "role"])
        #expect(listed.at("/reasons/1/detail")?.string?.contains("reviewers") == true)
        try await scene.client(.viewer).patch("inspections", "i", ["reviewers": []])
        let gone = try await root.explain("member-p1", "findings", "f", "&since=\(since)")
        #expect(gone.at("/sees") == false && gone.at("/delivered_as") == "tombstone", "\(gone.text)")
        #expect(gone.reasons == ["member", "not_listed", "formerly_listed", "role"])
        #expect(gone.at("/reasons/2/commit") == .int(try await scene.head()))
        let never = try await root.explain("scheduler-p1", "inspections", "i", "&since=\(since)")
        #expect(never.at("/delivered_as") == "nothing" && never.reasons.contains("not_listed"))
    }

    // MARK: All projects

    /// A project that is lost takes its listed rows along, also where the lists keep who has left.
    @Test func aLostProjectTakesListedRowsAlong() async throws {
        let scene = try await ListedScene()
        try await scene.inspect("i", by: .viewer)
        try await scene.client(.viewer).patch("inspections", "i", ["reviewers": [scene.user(.member)]])
        try await scene.inspect("j", by: .viewer)
        let pulls = try await PullService(store: scene.scene.bench.store, registry: scene.scene.registry)
        var replica = UserDrainClient(scene.scene.bench.caller(.member), storing: .drains)
        try await replica.drain(from: pulls, scene.scene.registry, pageSize: 2)
        #expect(replica.rows.keys.contains(RowKey("inspections", "i")))
        try await scene.scene.removeMember(.member)
        try await replica.drain(from: pulls, scene.scene.registry, pageSize: 2)
        #expect(!replica.rows.keys.contains { ListedScene.names.contains($0.collection) })
    }

    // MARK: Events

    @Test func nobodyElseIsWoken() async throws {
        let scene = try await ListedScene()
        try await scene.inspect("i", by: .viewer, .member)
        let audiences = try await scene.scene.bench.store.read {
            try $0.commits(to: "p1", after: .first, limit: 1000).last?.audiences
        }
        let users = [Role.viewer, .member].map { CommitAudience.user(scene.scene.bench.caller($0).userID) }
        #expect(audiences == Set(users + [.members(from: .admin)]))
    }
}
