import Foundation
import SyncAccounts
import SyncClientCore
import SyncEngine
import SyncProtocol
import SyncStore
import SyncTestKit
import Synchronization
import Testing

/// Parts as an app uses them: the client library against the real server.
@Suite struct PartScenarioTests {
    /// A phone of the member, and the server that it talks to.
    private struct Phone {
        let folder: TemporaryFolder
        let server: ServerProcess
        let replica: Replica
        private let syncer: Syncer

        init(_ engine: RunEngine, scope: SyncScope = .project(Edit.first)) async throws {
            let template = try await Template.shared(engine)
            folder = try TemporaryFolder()
            server = try await template.start(at: folder.path("server.db"), bug: nil, files: MemoryFiles())
            replica = try Replica(path: folder.path("phone.db"), scope: scope)
            syncer = try Phone.syncer(replica, scope, template, server.transport)
            try await server.bench.edit { [me] rows in
                for (id, assignee, start) in [("t-1", me, "2026-11-02"), ("t-2", JSON.null, "2026-12-03")] {
                    try rows.insert(
                        "tasks", id, ["name": .string(id), "assignee": assignee, "planned_start": .string(start)])
                    try rows.insert("task_links", "l-" + id, ["task": .string(id), "url": "https://example.org/"])
                }
            }
        }

        private static func syncer(
            _ replica: Replica, _ scope: SyncScope, _ template: Template, _ transport: any Transport,
            options: SyncOptions = SyncOptions()
        ) throws -> Syncer {
            let remote = try Remote(url: "http://server", scope: scope, token: template.tokens[.member] ?? "")
            return try Syncer(
                remote: remote, transport: transport, replica: replica, options: options,
                environment: .still(device: 1))
        }

        /// The same phone, over another network.
        func over(_ transport: any Transport, options: SyncOptions = SyncOptions()) async throws -> Syncer {
            try await Self.syncer(
                replica, replica.state().scope, Template.shared(.sqlite), transport, options: options)
        }

        var me: JSON { .int(server.bench.caller(.member).userID) }

        func hold(_ filter: JSON) throws { try replica.parts.add("phone", PartFilter(filter)) }

        @discardableResult func sync() async throws -> SyncOutcome { try await syncer.sync() }

        func edit(_ id: String, _ fields: [String: JSON]) async throws {
            try await server.bench.edit { try $0.update("tasks", id, fields) }
        }

        func tasks() throws -> [String] { try replica.rows(of: "tasks").compactMap { $0["id"]?.string } }

        func links() throws -> [String] { try replica.rows(of: "task_links").compactMap { $0["id"]?.string } }
    }

    private static let mine: JSON = ["tasks": [["assignee": "@me"]]]

    private static func month(_ number: Int) -> JSON {
        let (from, until) = ("2026-\(number)-01", "2026-\(number)-30")
        return ["tasks": [["planned_start": ["from": .string(from), "until": .string(until)]]]]
    }

    @Test(arguments: RunEngine.allCases) func theForemansPhone(engine: RunEngine) async throws {
        let phone = try await Phone(engine)
        try phone.hold(Self.mine)
        try await phone.sync()
        #expect(try phone.tasks() == ["t-1"] && phone.links() == ["l-t-1"])
        #expect(try phone.replica.parts.list().map(\.isReady) == [true])
        try await phone.edit("t-2", ["assignee": phone.me])
        try await phone.edit("t-1", ["assignee": nil])
        let outcome = try await phone.sync()
        #expect(try phone.tasks() == ["t-2"] && phone.links() == ["l-t-2"])
        #expect(outcome.pulled?.rows == 2 && outcome.pulled?.replaced == [])
    }

    /// Only the difference travels.
    @Test(arguments: RunEngine.allCases) func aWindowThatMoves(engine: RunEngine) async throws {
        let phone = try await Phone(engine)
        try phone.hold(Self.month(11))
        try await phone.sync()
        #expect(try phone.tasks() == ["t-1"])
        try phone.hold(Self.month(12))
        #expect(try phone.replica.parts.list().map(\.isReady) == [false])
        let outcome = try await phone.sync()
        #expect(try phone.tasks() == ["t-2"] && outcome.pulled?.rows == 2 && outcome.pulled?.resynced == false)
        try phone.replica.parts.remove("phone")
        try await phone.sync()
        #expect(try phone.tasks() == ["t-1", "t-2"])
    }

    /// The process dies when rows of December are in its tables, and October is asked for next. A client that forgets
    /// the broken drain keeps these rows, and the server's digest tells.
    @Test(arguments: [false, true]) func aBrokenDrainIsFinishedBeforeAnotherPart(isPlanted: Bool) async throws {
        let phone = try await Phone(.sqlite)
        try phone.hold(Self.month(11))
        try await phone.sync()
        var options = SyncOptions(pageSize: 1)
        (options.keptRows, options.readsAhead) = (0, false)
        try phone.hold(Self.month(12))
        let dying = try await phone.over(DyingNetwork(server: phone.server.transport), options: options)
        await #expect(throws: Death.self) { try await dying.pull() }
        #expect(try phone.tasks() == ["t-1", "t-2"] && phone.replica.state().settled == nil)
        if isPlanted { try PlantedReplica.forgetDrain(at: phone.replica.path) }
        try phone.hold(Self.month(10))
        let outcome = try await phone.over(phone.server.transport, options: options).pull()
        #expect(try phone.tasks() == [] && phone.links() == [])
        #expect(outcome.replaced == (isPlanted ? ["tasks"] : []))
    }

    /// An edit made in a tunnel, of a task that was given to somebody else meanwhile.
    @Test(arguments: RunEngine.allCases) func anUnsentEditOutlivesItsRowsPart(engine: RunEngine) async throws {
        let phone = try await Phone(engine)
        try phone.hold(Self.mine)
        try await phone.sync()
        try phone.replica.update("t-1", in: "tasks", with: ["notes": "from the tunnel"])
        try await phone.edit("t-1", ["assignee": nil])
        try await phone.sync()
        #expect(try phone.tasks() == [] && phone.replica.unsentCount() == 0 && phone.replica.setAside().isEmpty)
        try await phone.edit("t-1", ["assignee": phone.me])
        try await phone.sync()
        #expect(try phone.replica.rows(of: "tasks").map { $0["notes"] } == ["from the tunnel"])
    }

    /// The schema may have changed so that the server refuses what the phone asks for.
    @Test func anEditIsSentThoughTheFilterIsRefused() async throws {
        let phone = try await Phone(.sqlite)
        try phone.hold(Self.mine)
        try await phone.sync()
        try phone.replica.update("t-1", in: "tasks", with: ["notes": "from the tunnel"])
        let refused = try await phone.over(RefusedFilters(server: phone.server.transport))
        let error = await #expect(throws: SyncError.self) { try await refused.sync() }
        guard case .refused(400, "invalid_filter", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(try phone.replica.unsentCount() == 0)
        try await phone.sync()
        #expect(try phone.replica.rows(of: "tasks").map { $0["notes"] } == ["from the tunnel"])
    }

    /// What the phone itself moves out of its part goes when the server has it.
    @Test(arguments: RunEngine.allCases) func whatThePhoneHandsOverLeaves(engine: RunEngine) async throws {
        let phone = try await Phone(engine)
        try phone.hold(Self.mine)
        try await phone.sync()
        try phone.replica.update("t-1", in: "tasks", with: ["assignee": nil])
        try phone.replica.insert(["name": "of nobody"], into: "tasks", id: "t-3")
        #expect(try phone.tasks() == ["t-1", "t-3"])
        try await phone.sync()
        #expect(try phone.tasks() == [] && phone.links() == [])
    }

    @Test(arguments: RunEngine.allCases) func aProjectThatIsArchivedGoesAndComes(engine: RunEngine) async throws {
        let phone = try await Phone(engine, scope: .allProjects)
        func projects() throws -> [String] { try phone.replica.rows(of: "projects").compactMap { $0["id"]?.string } }
        func archive(_ isArchived: Bool) async throws {
            let bench = phone.server.bench
            _ = try await bench.items.archive(isArchived, project: bench.project, by: bench.caller(.owner))
        }
        try phone.hold(["projects": [["is_archived": false]]])
        try await phone.sync()
        #expect(try projects() == [Edit.first, Edit.second] && phone.tasks() == ["t-1", "t-2"])
        try await archive(true)
        let outcome = try await phone.sync()
        #expect(try projects() == [Edit.second] && phone.tasks() == [] && outcome.pulled?.left == [])
        try await archive(false)
        try await phone.sync()
        #expect(try projects() == [Edit.first, Edit.second] && phone.tasks() == ["t-1", "t-2"])
    }

    /// The older server sends everything; a newer one then narrows it, and the older one is not believed any more.
    @Test func aServerOfAVersionBeforeParts() async throws {
        let phone = try await Phone(.sqlite)
        let older = try await phone.over(OlderServer(server: phone.server.transport))
        try phone.hold(Self.mine)
        #expect(try await older.sync().pulled?.filter == .everything)
        #expect(try phone.tasks() == ["t-1", "t-2"])
        try await phone.edit("t-2", ["name": "renamed"])
        let second = try await older.sync()
        #expect(second.pulled?.resynced == false && second.pulled?.rows == 1)
        try await phone.sync()
        #expect(try phone.tasks() == ["t-1"])
        try await phone.edit("t-1", ["name": "renamed"])
        #expect(try await older.sync().pulled?.resynced == true)
        #expect(try phone.tasks() == ["t-1", "t-2"])
    }
}

/// The server without parts: it does not look at the parameters.
private struct OlderServer: Transport {
    let server: any Transport

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        if var url = URLComponents(string: request.url) {
            url.queryItems?.removeAll { ["filter", "filter_was"].contains($0.name) }
            request.url = url.string ?? request.url
        }
        return try await server.send(request)
    }
}

/// The process dies when it asks for the page after that of a task.
private final class DyingNetwork: Transport {
    private let server: any Transport
    private let hasTask = Mutex(false)

    init(server: any Transport) { self.server = server }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        guard !hasTask.withLock({ $0 }) else { throw Death() }
        let response = try await server.send(request)
        let tasks = (try? JSON(parsing: response.body))?["changes"]?["tasks"]?["updated"]?.array ?? []
        if !tasks.isEmpty { hasTask.withLock { $0 = true } }
        return response
    }
}

/// Every filter becomes one that the server refuses.
private struct RefusedFilters: Transport {
    let server: any Transport

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        request.url = request.url.replacing(/filter=[^&]*/, with: "filter=unreadable")
        return try await server.send(request)
    }
}
