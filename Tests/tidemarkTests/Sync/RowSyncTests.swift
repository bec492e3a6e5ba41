import ArgumentParser
import Foundation
import SyncAccounts
import SyncClient
import SyncProtocol
import SyncSchema
import SyncTestKit
import Synchronization
import Testing

@testable import tidemark

/// Edits of all collections on devices without a network, against the real server.
@Suite(.timeLimit(.minutes(10))) struct RowSyncTests {
    private let server: ServedProject

    init() async throws { server = try await ServedProject() }

    private var user: Int64 { server.bench.caller(.member).userID }

    /// A row of every collection that can be edited, or three, which refer to one another. Children come first.
    private func plan(_ name: String) -> [(collection: String, id: String, fields: [String])] {
        [
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

    private func add(_ name: String, to device: Device) throws {
        for row in plan(name) { try device.add(row.collection, row.id, row.fields) }
    }

    private static let changes = [
        ("calendars", "calendar", "name=changed"), ("sprints", "sprint", "goal=changed"),
        ("tasks", "b", "notes=changed"), ("dependencies", "dependency", "lag=-3"),
        ("risks", "risk", "description=changed"), ("sprint_retros", "retro", "notes=changed"),
        ("retro_action_items", "item", "text=changed"), ("task_suggested_assignees", "offer", "state=revoked"),
        ("task_links", "link", "title=changed"), ("task_recurrence_rules", "rule", "interval=3"),
    ]

    /// Both devices have the same rows, and each what REST shows its user. Nobody sees another user's time entries.
    private func expectEqual(_ one: Device, _ two: Device) async throws {
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
            #expect(try await syncer.sync().pushed?.applied == 13)
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

    // MARK: Refusals

    @Test func ofTwoRetrosOfOneSprintTheSecondNamesTheFirst() async throws {
        let (one, two) = (try await Device("one", .owner, of: server), try await Device("two", .member, of: server))
        try await one.sync()
        try one.add("sprints", "s", "name=S", "start_date=2026-06-01", "finish_date=2026-06-14")
        try await one.sync()
        try await two.sync()
        try one.add("sprint_retros", "first", "sprint=s", "notes=one")
        try two.add("sprint_retros", "second", "sprint=s", "notes=two")
        try await one.sync()
        await two.syncRefused()
        let edit = try #require(try RefusedEdit.all(in: two.replica).first)
        #expect(edit.line.hasPrefix("unsent\tsprint_retros\tsecond\tsprint\tnot_unique\t"))
        #expect(edit.line.hasSuffix("\tfirst") && edit.json["existing"] == "first")
        #expect(edit.sentence.contains(" Edit the row `first` instead. (not_unique)"))
        try RefusedDropCommand.parse(["sprint_retros/second", "--replica", two.path]).run()
        try two.set("sprint_retros", "first", "notes=one and two")
        try await two.sync()
        try await one.sync()
        #expect(try one.rows("sprint_retros").map { $0["notes"] } == ["one and two"])
    }

    /// A message is one line, whatever somebody wrote into the row.
    @Test func aRefusedRowIsNamedInOneLine() async throws {
        let device = try await Device("one", .member, of: server)
        try await device.sync()
        let title = "Late\n\u{1B}[2Jpaint" + String(repeating: "x", count: 200)
        try device.add("risks", "r", "title=\(title)", "probability=9", "impact=1")
        await device.syncRefused()
        let edit = try #require(try RefusedEdit.all(in: device.replica).first)
        let name = "“Late  [2Jpaint" + String(repeating: "x", count: 66) + "…”"
        #expect(edit.sentence.hasPrefix("Not taken, kept unsent: risks r \(name), probability: "))
    }

    @Test func whatARoleDoesNotAllowIsRefusedRowByRow() async throws {
        let (one, two) = (try await Device("one", .owner, of: server), try await Device("two", .viewer, of: server))
        try await one.sync()
        try add("one", to: one)
        try await one.sync()
        try await two.sync()
        for (collection, id, field) in Self.changes { try two.set(collection, "one-" + id, field) }
        try two.add("risks", "mine", "title=R", "probability=1", "impact=1")
        try two.remove("task_links", "one-link")
        await two.syncRefused()
        let refused = try two.refused()
        #expect(refused.first == ["unsent", "risks", "mine", "forbidden"] && refused.count == 11)
        #expect(Set(refused.dropFirst().map { $0[1] }) == Set(Self.changes.map(\.0)))
        for (collection, _, _) in Self.changes where collection != "risks" {
            #expect(try two.rows(collection) == one.rows(collection), "\(collection)")
        }
    }

    /// The row that is gone is named by its id alone, and never delivered again.
    @Test func anEditOfARowThatIsHiddenByNowIsSetAsideOnce() async throws {
        let (one, two) = (try await Device("one", .owner, of: server), try await Device("two", .member, of: server))
        try await one.sync()
        try one.add("sprints", "s", "name=S", "start_date=2026-06-01", "finish_date=2026-06-14")
        try one.add("sprint_retros", "r", "sprint=s", "notes=closed")
        try await one.sync()
        try await two.sync()
        try two.set("sprint_retros", "r", "notes=mine")
        try two.set("sprints", "s", "goal=mine")
        try await server.bench.setRole(of: .member, to: .viewer)
        await two.syncRefused(.push)
        #expect(Set(try two.refused().map { $0[1] + $0[3] }) == ["sprint_retrosid_unavailable", "sprintsforbidden"])
        #expect(try two.rows("sprint_retros").isEmpty)
        try await two.sync()
        try await two.sync(.push)
        #expect(try two.rows("sprint_retros").isEmpty && two.refused().count == 2)
    }

    /// Nobody sees the time entries of others, so two devices may choose the same id.
    @Test func anIDThatIsTakenOutOfSightKeepsTheNewRowHere() async throws {
        let (one, two) = (try await Device("one", .owner, of: server), try await Device("two", .member, of: server))
        try await one.sync()
        try one.add("tasks", "t", "name=T")
        try one.add("time_entries", "e", "task=t", "minutes=5", "entry_date=2026-06-01")
        try await one.sync()
        try await two.sync()
        try two.add("time_entries", "e", "task=t", "minutes=7", "entry_date=2026-06-02")
        try two.set("tasks", "t", "notes=two")
        await two.syncRefused()
        await two.syncRefused(.push)
        #expect(try two.refused() == [["unsent", "time_entries", "e", "id_unavailable"]])
        #expect(try two.rows("time_entries").map { $0["minutes"] } == [7])
        try await one.sync()
        #expect(try one.rows("time_entries").map { $0["minutes"] } == [5])
        #expect(try one.rows("tasks").map { $0["notes"] } == ["two"])
    }

    @Test func whatBelongsToADeletedTaskIsSetAside() async throws {
        let (one, two) = (try await Device("one", .owner, of: server), try await Device("two", .member, of: server))
        try await one.sync()
        try one.add("tasks", "t", "name=T")
        try one.add("task_links", "l", "task=t", "url=https://example.org/")
        try await one.sync()
        try await two.sync()
        try one.remove("tasks", "t")
        try await one.sync()
        try two.add("time_entries", "e", "task=t", "minutes=7", "entry_date=2026-06-02")
        try two.set("task_links", "l", "title=mine")
        await two.syncRefused(.push)
        try await two.sync()
        #expect(
            try two.refused() == [
                ["aside", "time_entries", "e", "parent_deleted"], ["aside", "task_links", "l", "deleted"],
            ])
        try RefusedDropCommand.parse(["--all", "--replica", two.path]).run()
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
    let transport: HTTPTransport
    /// Which upload's answer is lost, counted from 0.
    let loss: Int
    private let uploads = Uploads()

    init(transport: HTTPTransport, loss: Int) { (self.transport, self.loss) = (transport, loss) }

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
    let transport: HTTPTransport

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
