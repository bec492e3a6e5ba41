import Foundation
import GRDB
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncTestKit
import Testing

/// A server with twice the people, projects, rows and records takes no call more than about twice the work: lists,
/// pages, history, explanations, storage, inbox, devices, the audit list, and the writes.
///
/// Counted are the steps of SQLite's virtual machine, which do not depend on the machine or its load.
@Suite(.enabled(if: TestEngine.isSQLite, "counts what SQLite does")) struct CallGrowthTests {
    private static let size = 120
    /// 2 for what is in proportion, 4 for a square.
    private static let bound = 2.6
    /// Work below this is not compared: all calls do some that depends on nothing.
    private static let least = 300

    private struct Call {
        let name: String
        let send: () async throws -> Answer
    }

    private let work: SQLiteWork
    private let scene: Scene
    private let owner: Client
    private let member: Client
    private let root: Client

    init() async throws {
        let folder = try TemporaryFolder()
        work = SQLiteWork(in: folder.url.lastPathComponent)
        scene = try await Scene(in: folder, accounts: Scene.unlimited)
        owner = try await scene.client(.owner)
        member = try await scene.client(.member)
        root = try await scene.freshSuperuser()
        try await scene.bench.edit { try $0.insert("tasks", "h", ["name": "0"]) }
    }

    @Test func noCallTakesMoreThanItsShareOfADoubling() async throws {
        try await grow(from: 0)
        let single = try await measure(round: 1)
        try await grow(from: Self.size)
        let double = try await measure(round: 2)
        #expect(single.values.reduce(0, +) > 10_000)
        for (name, steps) in single.sorted(by: { $0.key < $1.key }) {
            let more = double[name] ?? 0
            let growth = Double(max(more, Self.least)) / Double(max(steps, Self.least))
            #expect(growth < Self.bound, "\(name): \(steps) steps, then \(more)")
        }
    }

    private func measure(round: Int) async throws -> [String: Int] {
        var counts: [String: Int] = [:]
        for call in reads + writes(round) {
            var status = 0
            counts[call.name] = try await work.steps { status = try await call.send().status }
            #expect((200..<300).contains(status), "\(call.name): \(status)")
        }
        return counts
    }

    private func get(_ who: String, _ client: Client, _ paths: [String]) -> [Call] {
        paths.map { path in Call(name: "\(who): GET \(path)") { try await client.send("GET", path) } }
    }

    private var reads: [Call] {
        let collections = scene.registry.collections.map(\.name).filter { $0 != "projects" }
        return get(
            "superuser", root,
            [
                "/admin/users/?limit=500", "/admin/audit/?limit=500", "/admin/rejected/?limit=500", "/admin/storage/",
                "/admin/storage/projects/?limit=500", "/admin/status/",
                "/admin/explain/?user=member-p1&collection=tasks&id=h", "/api/v1/projects/?limit=500", "/metrics",
            ])
            + get(
                "owner", owner,
                [
                    "/api/v1/projects/?limit=500", "/api/v1/projects/?limit=500&sort=-name", "/api/v1/projects/p1/",
                    "/api/v1/projects/p1/tasks/?limit=500&sort=-name,planned_start",
                    "/api/v1/projects/p1/tasks/?limit=500&status=REVIEW", "/api/v1/tasks/h/",
                    "/api/v1/tasks/h/history/?limit=500", "/api/v1/projects/p1/devices/?limit=500",
                    "/api/v1/devices/?limit=500", "/api/v1/auth/tokens/", "/api/v1/auth/me/",
                    "/api/v1/users/?limit=500", "/api/v1/users/?limit=500&project=p1",
                    "/api/v1/projects/p1/sync/?since=0&page_size=5000", "/api/v1/projects/p1/sync/?last_pulled_at=0",
                    "/api/v1/projects/p1/sync/digest/", "/api/v1/sync/?since=0&page_size=5000",
                    "/api/v1/sync/?since=0&page_size=5000&encoding=watermelondb", "/api/v1/sync/digest/",
                ] + collections.map { "/api/v1/projects/p1/\($0)/?limit=500" })
            + get("member", member, ["/api/v1/projects/p1/rejected/?limit=500", "/api/v1/rejected/?limit=500"])
    }

    /// Each round writes other rows.
    private func writes(_ round: Int) -> [Call] {
        func call(_ client: Client, _ method: String, _ path: String, _ body: JSON? = nil) -> Call {
            Call(name: "\(method) \(path.replacing("-\(round)", with: ""))") {
                try await client.send(method, path, body?.data)
            }
        }
        let rows = "/api/v1/projects/p1"
        let batch: JSON = [
            "client_batch_id": .string(UUID().uuidString),
            "changes": [
                "tasks": ["created": [["id": .string("up-\(round)"), "name": "U"]], "updated": [], "deleted": []]
            ],
        ]
        return [
            call(owner, "POST", "\(rows)/tasks/", ["id": .string("new-\(round)"), "name": "N"]),
            call(owner, "PATCH", "/api/v1/tasks/h/", ["name": .string("round \(round)")]),
            call(owner, "POST", "\(rows)/sync/", batch),
            call(
                owner, "POST", "/api/v1/projects/",
                ["id": .string("made-\(round)"), "name": "M", "start_date": "2026-01-05"]),
            call(owner, "DELETE", "/api/v1/projects/made-\(round)/"),
            call(root, "POST", "/admin/users/", ["username": .string("added-\(round)")]),
            call(owner, "DELETE", "/api/v1/tasks/parent-\(round)/"),
        ]
    }

    /// Adds a number of everything that there can be many of.
    private func grow(from first: Int) async throws {
        let numbers = first..<first + Self.size
        let bench = scene.bench
        for number in numbers {
            _ = try await bench.accounts.addUser("user-\(number)", displayName: "Same")
            try await bench.members.addMember("user-\(number)", to: "p1", as: .viewer)
            let fields: [String: JSON] = [
                "id": .string("more-\(number)"), "name": "P", "start_date": "2026-01-05",
            ]
            _ = try await bench.projects.create(fields, by: bench.caller(.owner))
            _ = try await bench.accounts.createToken(
                for: bench.caller(.owner).username.rawValue, name: "t", isReadOnly: true, validFor: nil)
            try await bench.edit { try $0.update("tasks", "h", ["name": .string("\(number)")]) }
        }
        try await addRows(numbers)
        // The children of a task that is deleted: as many as there are rows.
        let round = first == 0 ? 1 : 2
        try await bench.edit { editor in
            try editor.insert("tasks", "parent-\(round)", ["name": "P"])
            for number in 0..<round * Self.size {
                let id = "below-\(round)-\(number)"
                try editor.insert("tasks", id, ["name": "B", "parent": .string("parent-\(round)")])
            }
        }
        try await addRecords(numbers)
    }

    private func addRows(_ numbers: Range<Int>) async throws {
        try await scene.bench.edit { editor in
            for number in numbers {
                let (task, id) = (JSON.string("task-\(number)"), "row-\(number)")
                try editor.insert(
                    "tasks", "task-\(number)", ["name": "T", "status": number % 2 == 0 ? "REVIEW" : "BACKLOG"])
                try editor.insert("dependencies", id, ["predecessor": "h", "successor": task])
                try editor.insert("task_links", id, ["task": task, "url": "https://a.org"])
                try editor.insert("risks", id, ["title": "R", "probability": 1, "impact": 1, "task_ids": [task]])
                try editor.insert("time_entries", id, ["task": task, "minutes": 1, "entry_date": "2026-01-05"])
                try editor.insert("calendars", id, ["name": "C"])
            }
        }
    }

    /// Edits that were refused, and devices.
    private func addRecords(_ numbers: Range<Int>) async throws {
        let bad = numbers.map { JSON.object(["id": .string("bad-\($0)"), "name": 7]) }
        #expect(try await member.upload(created: bad, members: ["on_error": "reject_rows"]).status == 200)
        for number in numbers {
            let device = Client.device("device-\(number)", name: "Phone")
            #expect(try await owner.pull(since: 0, as: device).status == 200)
        }
        try await scene.server.writeDevices()
    }

    /// The measure itself: a join of a table with itself without an index is a square.
    @Test func aSquareIsSeen() async throws {
        let folder = try TemporaryFolder()
        let work = SQLiteWork(in: folder.url.lastPathComponent)
        let file = try DatabaseQueue(path: folder.path("t.db"))
        try await file.write { try $0.execute(sql: "CREATE TABLE t (a INTEGER)") }
        func steps() async throws -> Int {
            try await work.steps {
                _ = try await file.read {
                    try Int.fetchOne($0, sql: "SELECT count(*) FROM t JOIN t AS u ON t.a < u.a + 0")
                }
            }
        }
        func fill() async throws {
            try await file.write { database in
                for number in 0..<200 { try database.execute(sql: "INSERT INTO t VALUES (?)", arguments: [number]) }
            }
        }
        try await fill()
        let single = try await steps()
        try await fill()
        #expect(try await Double(steps()) / Double(single) > 3.5)
    }
}
