import Foundation
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStores
import SyncTestKit
import Testing

@testable import SyncEngine

/// What a row's history has, and in which form: `docs/protocol.md#get-collectionidhistory`.
@Suite struct HistoryTests {
    private let noon: JSON = "2026-06-01T12:00:00.000Z"

    /// What docs/protocol.md says of a page, with a smaller size: one that has reached it takes no further entry.
    @Test func aPageOfLargeValuesEndsEarlyAndLosesNothing() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.create("tasks", ["id": "t", "name": "a"])
        for number in 1...5 {
            let notes = "\(number)" + String(repeating: "x", count: 100_000)
            try await member.patch("tasks", "t", ["notes": .string(notes)])
        }
        let (registry, caller) = (scene.registry, scene.bench.caller(.member))
        let list = try await scene.bench.store.read(.project("p1")) { transaction in
            let collection = registry.collection("tasks")
            let row = try #require(try transaction.record(RowKey("tasks", "t")))
            let access = try ProjectAccess(caller, project: "p1", in: transaction)
            return try HistoryList(
                of: row, in: collection, from: Instant(milliseconds: 0), access: access, registry: registry,
                transaction: transaction)
        }
        let first = list.page(before: ServerVersion(.max), limit: 100, bytes: 300_000)
        #expect(first.entries.map(\.version) == [6, 5].map { ServerVersion($0) })
        let second = list.page(before: try #require(first.next), limit: 100, bytes: 300_000)
        #expect(second.entries.map(\.version) == [4, 3].map { ServerVersion($0) })
        let last = list.page(before: try #require(second.next), limit: 100, bytes: 300_000)
        #expect(last.entries.map(\.version) == [2, 1].map { ServerVersion($0) } && last.next == nil)
        #expect(try await member.history("tasks", "t").versions == [6, 5, 4, 3, 2, 1])
    }

    @Test func itTellsWhoChangedWhatAndWhen() async throws {
        let scene = try await Scene()
        let (member, admin) = (try await scene.client(.member), try await scene.client(.admin))
        try await member.create("tasks", ["id": "t", "name": "a"])
        scene.clock.advance(by: .seconds(60))
        try await admin.patch("tasks", "t", ["name": "b", "modified_at": "2026-06-01T12:00:30Z"])
        let answer = try await member.history("tasks", "t")
        #expect(answer.status == 200)
        let author: (Role) -> JSON = { role in
            let name = "\(role.word.lowercased())-p1"
            return ["id": scene.userID(role), "username": .string(name), "display_name": .string(name)]
        }
        let expected: JSON = [
            "results": [
                [
                    "version": 2, "at": "2026-06-01T12:01:00.000Z", "edited_at": "2026-06-01T12:00:30.000Z",
                    "user": author(.admin), "device": nil, "changes": ["name": ["before": "a", "after": "b"]],
                ],
                [
                    "version": 1, "at": noon, "edited_at": noon, "user": author(.member), "device": nil,
                    "changes": ["name": ["before": nil, "after": "a"]],
                ],
            ], "next": nil, "is_complete": true,
        ]
        #expect(answer.json == expected)
        #expect(try await member.send("GET", "/tasks/t/history").json == expected)
    }

    /// Each value is followed from the present row back, whatever changed in between.
    @Test func everyValueIsFollowedBackToTheInsert() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.create("tasks", ["id": "t", "name": "a", "notes": "n"])
        for fields: JSON in [["name": "b"], ["notes": "m"], ["notes": ""], ["name": "c", "notes": "o"]] {
            #expect(try await member.patch("tasks", "t", fields).status == 200)
        }
        let answer = try await member.history("tasks", "t")
        #expect(
            answer.story == [
                #"5: name "b" -> "c", notes "" -> "o""#, #"4: notes "m" -> """#, #"3: notes "n" -> "m""#,
                #"2: name "a" -> "b""#, #"1: name null -> "a", notes null -> "n""#,
            ])
    }

    @Test(arguments: 1...6) func pagesHaveEveryEntryOnceAndAgree(limit: Int) async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.create("tasks", ["id": "t", "name": "0"])
        for name in 1...4 { try await member.patch("tasks", "t", ["name": .string("\(name)")]) }
        let whole = try await member.history("tasks", "t")
        var (entries, after): ([JSON], String?) = ([], "")
        while let place = after {
            let page = try await member.history("tasks", "t", "?limit=\(limit)&after=\(place)")
            #expect(page.isComplete == true)
            entries += page.entries
            after = page.at("/next")?.string
            // An edit between two pages moves nothing.
            if entries.count < 5 { try await member.patch("tasks", "t", ["notes": .string("\(entries.count)")]) }
        }
        #expect(entries == whole.entries)
        for wrong in ["x", "0", "-1", "1.5"] {
            #expect(try await member.history("tasks", "t", "?after=\(wrong)").code == "invalid_parameter")
        }
        #expect(try await member.history("tasks", "t", "?before=3").code == "invalid_parameter")
    }

    @Test func aDeviceIsForItsUserAndForAdministrators() async throws {
        let scene = try await Scene()
        let cast = try await scene.cast()
        let member = cast[.member]!
        try await member.upload(created: [["id": "t", "name": "a"]], members: ["device_id": "m-1"])
        try await member.upload(updated: [["id": "t", "name": "b"]], members: ["device_id": "m-1"])
        func devices(_ who: Who) async throws -> [JSON?] {
            try await cast[who]!.history("tasks", "t").entries.map { $0["device"] }
        }
        // Without a name, the id is nobody's but the user's and the superuser's.
        #expect(try await devices(.member) == ["m-1", .null])
        #expect(try await devices(.superuser) == ["m-1", .null])
        for who in [Who.viewer, .scheduler, .admin, .owner] { #expect(try await devices(who) == [.null, .null]) }
        for isStored in [false, true] {
            try await member.pull(as: Client.device("m-1", name: "Anna's phone"))
            if isStored { try await scene.server.writeDevices() }
            for who in [Who.member, .admin, .owner, .superuser] {
                #expect(try await devices(who) == ["Anna's phone", .null], "\(who)")
            }
            for who in [Who.viewer, .scheduler] { #expect(try await devices(who) == [.null, .null], "\(who)") }
        }
        let text = try await cast[.superuser]!.history("tasks", "t").text
        #expect(!text.contains("token:") && !text.contains("credential"))
    }

    /// What the operator did on the command line was done by no user of the API.
    @Test func theServersOwnEditsHaveNoUser() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t"])
        try await scene.bench.edit { try $0.update("tasks", "t", ["name": "Mended"]) }
        let answer = try await scene.client(.member).history("tasks", "t")
        #expect(answer.entries.map { $0["user"]?["username"] } == [nil, "owner-p1"])
        #expect(answer.entries.first?["user"] == .null)
    }

    /// A project has its history below its own path, a membership tells of roles.
    @Test func projectsAndMembershipsHaveOneToo() async throws {
        let scene = try await Scene()
        let (owner, viewer) = (try await scene.client(.owner), try await scene.client(.viewer))
        try await owner.patch("projects", "p1", ["name": "New"])
        for path in ["/projects/p1/history/", "/projects/p1/sync/history/", "/api/v1/sync/projects/p1/history/"] {
            let answer = try await viewer.send("GET", path)
            #expect(answer.story == [#"2: name "Test" -> "New""#], "\(path)")
            #expect(answer.isComplete == false, "the viewer came after the project")
        }
        let first = try await owner.send("GET", "/projects/p1/history/")
        #expect(first.versions == [2, 1] && first.isComplete == true)
        let membership = try await owner.membership(of: scene.userID(.member))
        try await owner.patch("memberships", membership, ["role": 200])
        let roles = try await owner.history("memberships", membership)
        #expect(roles.story.first == "2: role 100 -> 200" && roles.isComplete == true)
        #expect(roles.entries.first?["user"]?["id"] == scene.userID(.owner))
    }

    @Test func whoeverCantReadTheRowGetsTheSameAnswer() async throws {
        let scene = try await Scene()
        try await scene.fill()
        let cast = try await scene.cast()
        let rows = [
            ("tasks", "t1"), ("tasks", "t-dead"), ("tasks", "none"), ("time_entries", "te1"),
            ("time_entries", "te-foreign"), ("sprint_retros", "re1"), ("retro_action_items", "ai1"),
            ("projects", "p1"), ("projects", "none"), ("tasks", "%20"),
        ]
        for who in Who.allCases {
            for (collection, id) in rows {
                let (item, history) = (
                    try await cast[who]!.read(collection, id), try await cast[who]!.history(collection, id)
                )
                #expect(history.status == item.status && history.code == item.code, "\(who) \(collection) \(id)")
                if item.status != 200 { #expect(history.json["detail"] == item.json["detail"]) }
            }
        }
        try await scene.deleteProject()
        #expect(try await cast[.owner]!.send("GET", "/projects/p1/history/").code == "project_deleted")
        #expect(try await cast[.owner]!.history("tasks", "t1").code == "not_found")
    }

    /// Values that are too old are not shown, whether or not they are purged. The insert is known from the row.
    @Test func whatIsForgottenIsNotShown() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        try await member.create("tasks", ["id": "t", "name": "a"])
        try await member.patch("tasks", "t", ["name": "b"])
        scene.clock.advance(by: .seconds(50 * 86_400))
        try await member.patch("tasks", "t", ["name": "c"])
        scene.clock.advance(by: .seconds(50 * 86_400))
        let answer = try await member.history("tasks", "t")
        #expect(answer.story == [#"3: name "b" -> "c""#, "1: "])
        #expect(answer.isComplete == false)
        let purge = RecordPurge(
            store: scene.bench.store, clock: scene.clock.wallClock, retention: SyncSettings().uploadRetention)
        try await purge.purge()
        #expect(try await member.history("tasks", "t").json == answer.json)
        scene.clock.advance(by: .seconds(50 * 86_400))
        try await purge.purge()
        #expect(try await member.history("tasks", "t").versions == [1])
    }

    /// As for a merge, no more than 4 MiB of edits are read.
    @Test func aLongHistoryIsReadInPart() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t"])
        let long = String(repeating: "n", count: 900_000)
        for edit in 0..<6 {
            try await scene.bench.edit { try $0.update("tasks", "t", ["notes": .string(long + "\(edit)")]) }
        }
        let answer = try await scene.client(.member).history("tasks", "t")
        #expect(answer.versions == [7, 6, 5, 4, 1] && answer.isComplete == false)
    }
}

/// A collection of an own schema that had the name `history` before the server did.
@Suite struct HistoryPathTests {
    @Test func theCollectionKeepsItsPath() async throws {
        let registry = try Documents.registry { $0.add("history", ["text": ["type": "string"]], required: ["text"]) }
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        let server = try await TestServer(
            bench.store, registry, in: TemporaryFolder(), clock: WallClock { Workbench<ModelStore>.noon })
        let token = try await bench.accounts.createToken(
            for: "owner-p1", name: "test", isReadOnly: false, validFor: nil)
        let owner = Client(server: server, project: "p1", token: token)
        #expect(try await owner.create("history", ["id": "x", "text": "T"]).status == 201)
        #expect(try await owner.list("history").at("/results/0/text") == "T")
        #expect(try await owner.history("history", "x").versions == [1])
        for path in ["/projects/p1/sync/history/", "/sync/projects/p1/history/"] {
            #expect(try await owner.send("GET", path).versions == [1])
        }
    }
}
