import ArgumentParser
import Foundation
import SyncAccounts
import SyncAsyncHTTPClient
import SyncClientCore
import SyncProtocol
import SyncSchema
import SyncTestKit
import Synchronization
import Testing

@testable import tidemark

/// Edits of all collections on devices without a network, against the real server.
@Suite(.timeLimit(.minutes(30))) struct RowSyncTests {
    let server: ServedProject

    init() async throws { server = try await ServedProject() }

    var user: Int64 { server.bench.caller(.member).userID }

    /// A row of every collection that can be edited, or three, which refer to one another. Children come first.
    func plan(_ name: String) -> [(collection: String, id: String, fields: [String])] {
        [
            ("attachments", "photo", ["task=\(name)-b", "name=photo.jpg", "size=3"]),
            ("time_entries", "entry", ["task=\(name)-b", "minutes=30", "entry_date=2026-06-01", "note=a=b"]),
            ("task_recurrence_rules", "rule", ["task=\(name)-a", "frequency=DAILY"]),
            ("task_links", "link", ["task=\(name)-a", "url=https://example.org/?a=b", #"labels=["x"]"#]),
            ("task_suggested_assignees", "offer", ["task=\(name)-a", "suggested_user=\(user)"]),
            ("retro_action_items", "item", ["retro=\(name)-retro", "text=Do", "promoted_task_id=\(name)-b"]),
            ("sprint_retros", "retro", ["sprint=\(name)-sprint", "team_visibility=project"]),
            (
                "risks", "risk",
                ["title=Late", "probability=2", "impact=3", #"task_ids=["\#(name)-a","\#(name)-b"]"#]
            ),
            ("dependencies", "dependency", ["predecessor=\(name)-a", "successor=\(name)-b", "lag=-2"]),
            ("tasks", "b", ["name=B", "parent=\(name)-root", "sprint=\(name)-sprint"]),
            ("tasks", "a", ["name=A", "assignee=\(user)"]), ("tasks", "root", ["name=Root"]),
            ("sprints", "sprint", ["name=S", "start_date=2026-06-01", "finish_date=2026-06-14"]),
            ("calendars", "calendar", ["name=C", "hours_per_day=7.5"]),
        ].map { ($0.0, "\(name)-\($0.1)", $0.2) }
    }

    func add(_ name: String, to device: Device) throws {
        for row in plan(name) { try device.add(row.collection, row.id, row.fields) }
    }

    static let changes = [
        ("calendars", "calendar", "name=changed"), ("sprints", "sprint", "goal=changed"),
        ("tasks", "b", "notes=changed"), ("dependencies", "dependency", "lag=-3"),
        ("risks", "risk", "description=changed"), ("sprint_retros", "retro", "notes=changed"),
        ("retro_action_items", "item", "text=changed"), ("task_suggested_assignees", "offer", "state=revoked"),
        ("task_links", "link", "title=changed"), ("task_recurrence_rules", "rule", "interval=3"),
    ]

    /// Both devices have the same rows, and each what REST shows its user. Nobody sees another user's time entries.
    func expectEqual(_ one: Device, _ two: Device) async throws {
        for collection in try one.replica.schema()?.collections.map(\.name) ?? [] where collection != "projects" {
            if collection != "time_entries" { #expect(try one.rows(collection) == two.rows(collection)) }
            for device in [one, two] {
                #expect(try await device.rows(collection) == device.served(collection), "\(collection)")
            }
        }
        #expect(try one.refused().isEmpty && two.refused().isEmpty)
    }

    @Test func twoDevicesEditEveryCollectionAndEndEqual() async throws {
        let (one, two) = (try await Device("one", .owner, of: server), try await Device("two", .admin, of: server))
        try await one.sync()
        try await two.sync()
        #expect(
            Set(plan("").map(\.collection))
                == Set(try #require(try one.replica.schema()).collections.filter(\.isUploadable).map(\.name)))
        try add("one", to: one)
        try add("two", to: two)
        for device in [one, two, one] { try await device.sync() }
        try await expectEqual(one, two)
        #expect(try one.rows("risks").count == 2 && one.rows("time_entries").count == 1)

        // Each edits the rows of the other one.
        for (device, name) in [(one, "two"), (two, "one")] {
            for (collection, id, field) in Self.changes { try device.set(collection, "\(name)-\(id)", field) }
        }
        try one.set("risks", "one-risk", "probability=5")
        for device in [one, two, one] { try await device.sync() }
        try await expectEqual(one, two)
        let risk = try one.rows("risks").first { $0["id"] == "one-risk" }
        #expect(risk?["probability"] == 5 && risk?["description"] == "changed")

        // The deletions take rows of other collections along.
        try one.remove("tasks", "two-root")
        try two.remove("sprints", "one-sprint")
        for device in [one, two, one] { try await device.sync() }
        #expect(try one.rows("tasks").map { $0["id"]?.string } == ["one-a", "one-b", "one-root", "two-a"])
        #expect(try one.rows("sprint_retros").count == 1 && one.rows("dependencies").count == 1)
        #expect(try one.rows("risks").map { $0["task_ids"] } == [["one-a", "one-b"], ["two-a"]])
        for row in try one.replica.setAside() + two.replica.setAside() { Issue.record("\(row)") }
        try await expectEqual(one, two)
    }

    @Test(arguments: 1...3) func aBatchMayBeCutAnywhere(size: Int) async throws {
        let device = try await Device("one", .owner, of: server)
        try await device.sync()
        try add("one", to: device)
        try await device.withTransport { transport in
            let syncer = try device.syncer(transport, rows: size)
            #expect(try await syncer.sync().pushed?.applied == 14)
            try device.add("task_recurrence_rules", "other", "task=one-a", "frequency=DAILY")
            try device.remove("task_recurrence_rules", "one-rule")
            try device.add("dependencies", "other", "predecessor=one-b", "successor=one-a")
            try device.remove("dependencies", "one-dependency")
            try device.set("time_entries", "one-entry", "task=one-a")
            try device.remove("tasks", "one-root")
            #expect(try await syncer.sync().pushed?.applied == 6)
        }
        #expect(try device.refused().isEmpty && device.rows("time_entries").count == 1)
        #expect(try device.rows("task_recurrence_rules").map { $0["id"] } == ["other"])
        try await expectEqual(device, device)
    }

    /// Random edits, random syncs in batches of random size, and answers that are lost. When everything that the server
    /// refused is given up, both devices have what the server has.
    @Test(arguments: 1...6 as ClosedRange<UInt64>) func randomEditsOfAllCollectionsConverge(seed: UInt64) async throws {
        let (one, two) = (try await Device("one", .owner, of: server), try await Device("two", .admin, of: server))
        var edits = RandomEdits(seed: seed, user: user)
        try await one.withTransport { transport in
            for _ in 0..<8 {
                for (device, name) in [(one, "one"), (two, "two")] {
                    for _ in 0..<edits.below(12) { try edits.edit(device.replica, named: name) }
                    let lossy = LossyTransport(transport: transport, loss: edits.below(4))
                    if edits.below(3) > 0 { _ = try await device.syncer(lossy, rows: 4 + edits.below(20)).sync() }
                }
            }
            for device in [one, two, one, two, one] {
                _ = try await device.syncer(transport, rows: 500).sync()
                for row in try device.replica.refused() { try device.replica.giveUp(row) }
            }
            for device in [one, two, one] { _ = try await device.syncer(transport, rows: 500).sync() }
        }
        for device in [one, two] {
            #expect(try device.replica.unsentCount() == 0 && device.replica.refused().isEmpty)
            for row in try device.replica.setAside() { try device.replica.dismiss(row) }
        }
        let collections = Set(plan("").map(\.collection))
        #expect(try collections.reduce(0) { try $0 + one.rows($1).count } > 10)
        try await expectEqual(one, two)
    }

    /// The addressee may change the state of a suggestion, and the edit time with it, and nothing else.
    @Test func aSuggestionIsAcceptedOffline() async throws {
        let (one, two) = (try await Device("one", .owner, of: server), try await Device("two", .member, of: server))
        try await one.sync()
        try one.add("tasks", "t", "name=T")
        try one.add("task_suggested_assignees", "g", "task=t", "suggested_user=\(user)")
        try await one.sync()
        try await two.sync()
        try two.set("task_suggested_assignees", "g", "state=accepted", "modified_at=2026-06-01T11:00:00.000Z")
        try await two.sync()
        try await one.sync()
        #expect(try one.rows("task_suggested_assignees").first?["accepted_at"]?.string != nil)
        try await expectEqual(one, two)
    }

    // MARK: Other servers

    @Test func aServerThatTakesOnlyTasksKeepsNothingElseUp() async throws {
        let device = try await Device("one", .owner, of: server)
        try await device.sync()
        try add("one", to: device)
        let narrow = try await ServedProject(on: server, uploading: "tasks")
        try device.add("tasks", "alone", "name=Alone")
        await device.syncRefused(.push, with: narrow)
        let refused = try device.refused().filter { $0[3] == "collection_not_uploadable" }
        #expect(Set(refused.map { $0[1] }) == Set(plan("").map(\.collection)).subtracting(["tasks"]))
        #expect(try await device.served("tasks").contains { $0["id"] == "alone" })
        let error = #expect(throws: CommandError.self) { try device.set("risks", "one-risk", "title=x") }
        #expect(error?.description.hasSuffix("Use REST: /api/v1/risks/. You can edit: tasks.") == true)
        try await device.sync()
        try await expectEqual(device, device)
    }

    /// A replica as the version before made it: only tasks can be edited, and no other table has `modified_at`.
    @Test func aReplicaOfTheVersionBeforeLearnsToEditEverything() async throws {
        let other = try await Device("other", .owner, of: server)
        try await other.sync()
        try other.add("risks", "r", "title=R", "probability=1", "impact=1")
        try await other.sync()
        let device = try await Device("one", .owner, of: server)
        try await device.withTransport { transport in
            let remote = try Remote(url: server.url, project: server.bench.project, token: device.token)
            let former = FormerServer(transport: transport)
            _ = try await Syncer(remote: remote, transport: former, replica: device.replica).sync()
        }
        #expect(throws: CommandError.self) { try device.set("risks", "r", "title=x") }
        #expect(try device.rows("risks").first?["modified_at"] == nil && device.rows("risks").count == 1)
        try device.add("tasks", "t", "name=T")
        try await device.sync(.push)
        try device.set("tasks", "t", "notes=before")
        try await device.sync()
        try device.set("risks", "r", "title=after", "modified_at=2026-06-01T11:00:00.000Z")
        try device.add("time_entries", "e", "task=t", "minutes=7", "entry_date=2026-06-02")
        try await device.sync()
        try await other.sync()
        #expect(try other.rows("risks").map { $0["title"] } == ["after"])
        #expect(try other.rows("tasks").map { $0["notes"] } == ["before"])
        try await expectEqual(device, other)
    }
}

/// Loses an answer to an upload. The first retry gets through.
private struct LossyTransport: Transport {
    let transport: AsyncHTTPClientTransport
    /// Which upload's answer is lost, counted from 0.
    let loss: Int
    private let uploads = Uploads()

    init(transport: AsyncHTTPClientTransport, loss: Int) { (self.transport, self.loss) = (transport, loss) }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let answer = try await transport.send(request)
        guard request.method == .post, uploads.next() == loss else { return answer }
        throw TransportError.interrupted("lost")
    }

    private final class Uploads: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                defer { count += 1 }
                return count
            }
        }
    }
}

/// The server, with the schema of the version before.
private struct FormerServer: Transport {
    let transport: AsyncHTTPClientTransport

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var answer = try await transport.send(request)
        guard request.url.hasSuffix("/schemas/") else { return answer }
        let collections = (try JSON(parsing: answer.body)["collections"]?.array ?? []).map(former)
        let schema: JSON = ["schema_version": "former", "collections": .array(collections)]
        answer.body = Data(schema.text.utf8)
        return answer
    }

    private func former(_ collection: JSON) -> JSON {
        guard collection["title"] != "tasks", var members = collection.object else { return collection }
        members["x-uploadable"] = nil
        members["properties"] = .object((members["properties"]?.object ?? [:]).filter { $0.key != "modified_at" })
        return .object(members)
    }
}
