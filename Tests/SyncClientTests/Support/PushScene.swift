import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// A device with three tasks, and the server in memory that it got them from.
struct PushScene {
    let scratch: Scratch
    let replica: Replica
    let server = FakeServer()
    let clock = ManualClock()

    /// `app` is the schema that the app brings.
    init(_ schema: JSON = Fixture.schemaJSON, app: JSON? = nil) async throws {
        scratch = try Scratch()
        replica = try scratch.replica(app: app)
        server.change { state in
            state.schema = schema
            for id in ["a", "b", "c"] { state.put("tasks", id, ["name": .string(id), "duration": 1, "done": false]) }
        }
        _ = try await syncer().pull()
    }

    func syncer(_ transport: (any Transport)? = nil, options: SyncOptions = SyncOptions()) throws -> Syncer {
        try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: transport ?? server,
            replica: replica, options: options, environment: clock.environment())
    }

    func value(_ id: String, _ field: String = "name", in collection: String = "tasks") -> JSON? {
        server.state.withLock { $0.rows[collection]?[id]?.content?[field] }
    }

    var uploads: [JSON] { server.state.withLock { $0.uploads } }

    func expectEqual(_ place: SourceLocation = #_sourceLocation) throws {
        for collection in try replica.schema()?.collections.map(\.name) ?? [] {
            let rows = try replica.rows(of: collection).map { ($0["id"]?.string ?? "", $0["name"]) }
            let live = server.live(collection).mapValues { $0["name"] }
            #expect(Dictionary(uniqueKeysWithValues: rows) == live, sourceLocation: place)
        }
        #expect(try replica.unsentCount() == 0, sourceLocation: place)
    }

    /// Runs `act` once the server has handled the first upload, then drops the answer.
    func losingTheFirstAnswer(_ act: @escaping @Sendable () throws -> Void = {}) -> HookedTransport {
        let isFirst = Mutex(true)
        return HookedTransport(server) { [server] _, answer in
            guard server.state.withLock({ !$0.uploads.isEmpty }), isFirst.withLock({ $0 }) else { return answer }
            isFirst.withLock { $0 = false }
            try act()
            throw TransportError.interrupted("answer lost")
        }
    }
}
