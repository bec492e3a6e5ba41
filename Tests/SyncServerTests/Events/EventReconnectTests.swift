import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncStore
import SyncStores
import SyncTestKit
import Testing

/// What an event stream tells first: what its client has missed.
@Suite(.timeLimit(.minutes(30))) struct EventReconnectTests {
    private static let limit = CommitNumber.limit

    /// A stream whose `hello` has come.
    private func opened(
        _ client: Client, _ query: String = "", headers: [String: String] = [:]
    ) async throws -> EventReader {
        let reader = try await EventReader(client, query, headers: headers)
        #expect(try await reader.next()?.name == "hello")
        return reader
    }

    @Test func aReconnectTellsWhatWasMissed() async throws {
        let scene = try await Scene()
        let (viewer, member) = (try await scene.client(.viewer), try await scene.client(.member))
        try await member.upload(created: [["id": "t1", "name": "A"]])
        let known = try #require(try await viewer.ofAllProjects.page().json["timestamp"]?.text)
        let entry: JSON = ["id": "e1", "task": "t1", "entry_date": "2026-01-05", "minutes": 60]
        #expect(try await member.send("POST", "/projects/p1/time_entries/", entry.data).status == 201)
        let quiet = try await opened(viewer, headers: ["Last-Event-ID": known])
        let head = try #require(
            try await member.upload(created: [["id": "t2", "name": "B"]]).json["timestamp"]?.int)
        #expect(try await quiet.next()?.data == ["p1": .int(head)])
        for query in ["?last_event_id=\(known)", "?last_event_id=\(Self.limit + 1)"] {
            #expect(try await opened(viewer, query).next()?.data == ["p1": .int(head)])
        }
    }

    /// Whether others write in their own projects makes no difference to anybody.
    @Test func aNumberOfOthersIsUnknown() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let head = try #require(try await viewer.ofAllProjects.page().json["timestamp"]?.int)
        let other = try await scene.otherProject()
        for id in ["a", "b"] { try await other.edit { try $0.insert("tasks", id, ["name": "A"]) } }
        for ahead in 1...4 as ClosedRange<Int64> {
            let reader = try await opened(viewer, "?last_event_id=\(head + ahead)")
            #expect(try await reader.next()?.data.object?.keys.sorted() == ["p1"])
        }
    }

    @Test func whoLeftIsToldOfTheLossAlone() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        let known = try #require(try await viewer.ofAllProjects.page().json["timestamp"]?.text)
        try await scene.bench.setRole(of: .viewer, to: nil)
        let loss = try await scene.bench.store.read { try $0.project("p1")!.head }
        for number in 0..<205 { try await scene.bench.edit { try $0.insert("tasks", "t\(number)", ["name": "A"]) } }
        let reader = try await opened(viewer, "?last_event_id=\(known)")
        #expect(try await reader.next()?.data == ["p1": .int(loss.rawValue)])
    }

    /// However many commits were hidden, the one that the caller may see is told, and nothing else is.
    @Test func manyHiddenCommitsAreNotTold() async throws {
        let scene = try await Scene()
        let viewer = try await scene.client(.viewer)
        try await scene.bench.edit { try $0.insert("tasks", "t1", ["name": "A"]) }
        let known = try #require(try await viewer.ofAllProjects.page().json["timestamp"]?.text)
        let member = JSON.int(scene.bench.caller(.member).userID)
        for number in 0..<420 {
            try await scene.bench.edit { editor in
                let entry: [String: JSON] = [
                    "task": "t1", "entry_date": "2026-01-05", "minutes": 60, "user": member,
                ]
                try editor.insert("time_entries", "e\(number)", entry)
            }
        }
        let reader = try await opened(viewer, "?last_event_id=\(known)")
        let head = try await scene.bench.edit { try $0.insert("tasks", "t2", ["name": "B"]) }
        #expect(try await reader.next()?.data == ["p1": .int(head!.rawValue)])
        let late = try await opened(viewer, "?last_event_id=\(known)")
        #expect(try await late.next()?.data == ["p1": .int(head!.rawValue)])
    }

    /// A superuser can pull any project, but hears of those with a membership, as `/sync/` has no others.
    @Test func aSuperuserWhoLeftHearsNothingMore() async throws {
        let scene = try await Scene()
        _ = try await scene.bench.user("root", as: .viewer, isSuperuser: true)
        let root = try await scene.client(named: "root")
        let body: JSON = ["id": "own", "name": "X", "start_date": "2026-01-05"]
        #expect(try await root.send("POST", "/projects/", body.data).status == 201)
        let reader = try await opened(root, "?projects=own,p1")
        try await scene.bench.members.removeMember("root", from: "p1")
        let loss = try await scene.bench.store.read { try $0.project("p1")!.head }
        #expect(try await reader.next()?.data == ["p1": .int(loss.rawValue)])
        try await scene.bench.edit { try $0.insert("tasks", "t1", ["name": "A"]) }
        _ = try await root.send("PATCH", "/projects/own/", (["name": "Y"] as JSON).data)
        #expect(try await reader.next()?.data.object?.keys.sorted() == ["own"])
    }

    /// A number that is not in the history: everything may have changed.
    @Test(arguments: ["7", "x", "", "9007199254740991"]) func anUnknownNumberTellsOfAll(number: String) async throws {
        let scene = try await Scene()
        let reader = try await opened(try await scene.client(.viewer), "?last_event_id=\(number)")
        #expect(try await reader.next()?.data.object?.keys.sorted() == ["p1"])
    }
}
