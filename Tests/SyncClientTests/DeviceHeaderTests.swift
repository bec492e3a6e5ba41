import Foundation
import SyncProtocol
import Synchronization
import Testing

@testable import SyncClientCore

/// What the client tells the server of its device.
@Suite struct DeviceHeaderTests {
    private let scratch: Scratch
    private let server = FakeServer()

    init() throws { scratch = try Scratch() }

    /// Pulls, and returns the headers of each request for a page.
    private func pull(_ replica: Replica, _ device: DeviceInfo = DeviceInfo()) async throws -> [[String: String]] {
        let transport = RecordingTransport(server)
        var options = SyncOptions(pageSize: 2)
        (options.device, options.readsAhead) = (device, false)
        let remote = try Remote(url: "http://server", project: "p", token: "t")
        _ = try await Syncer(
            remote: remote, transport: transport, replica: replica, options: options,
            environment: ManualClock().environment()
        ).pull()
        #expect(transport.schemas.allSatisfy { $0["Tidemark-Device-Id"] != nil } && !transport.schemas.isEmpty)
        return transport.pages
    }

    private func fill() {
        server.change { state in
            for id in ["a", "b", "c"] {
                state.put(
                    "tasks", id,
                    [
                        "name": .string(id), "sprint": nil, "parent": nil, "duration": 1, "percent": 0, "done": false,
                        "labels": [],
                    ])
            }
        }
    }

    @Test func everyRequestNamesTheDevice() async throws {
        let replica = try scratch.replica()
        let id = try replica.device().id
        let sent = try await pull(replica, DeviceInfo(name: "Björns \n100%", appVersion: "2.3.1"))
        #expect(!sent.isEmpty && !id.isEmpty)
        for headers in sent {
            #expect(headers["Tidemark-Device-Id"] == id)
            #expect(headers["Tidemark-Device-Name"] == "Bj%C3%B6rns %0A100%25")
            #expect(headers["Tidemark-App-Version"] == "2.3.1")
        }
        let plain = try await pull(replica, DeviceInfo(name: nil, appVersion: nil))
        #expect(plain.allSatisfy { $0["Tidemark-Device-Id"] == id && $0["Tidemark-Device-Name"] == nil })
    }

    @Test func anUploadNamesTheDeviceThatItsBodyNames() async throws {
        let replica = try scratch.replica()
        fill()
        _ = try await pull(replica)
        try replica.insert(["name": "new"], into: "tasks", id: "n")
        let transport = RecordingTransport(server)
        _ = try await Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: transport, replica: replica,
            environment: ManualClock().environment()
        ).push()
        #expect(transport.uploads.count == 1)
        let (headers, body) = try #require(transport.uploads.first)
        #expect(headers["Tidemark-Device-Id"] == (try replica.device().id))
        #expect(try JSON(parsing: body)["device_id"]?.string == headers["Tidemark-Device-Id"])
    }

    /// The result of a comparison goes with the requests until the next drain has ended.
    @Test func aComparisonIsToldWithTheNextRequest() async throws {
        let replica = try scratch.replica()
        fill()
        func told() async throws -> [String?] { try await pull(replica).map { $0["Tidemark-Digest"] } }
        #expect(try await told().allSatisfy { $0 == nil })
        #expect(try await told() == ["same"])
        try replica.edit("DELETE FROM tasks WHERE id = 'b'")
        #expect(try await told().prefix(2) == ["same", "differs"])
        #expect(try await told() == ["same"])
        let again = try Replica(path: scratch.path, project: "p")
        #expect(try await pull(again).map { $0["Tidemark-Digest"] } == ["same"], "another process tells it too")
    }

    @Test func theDefaultNameIsTheMachines() {
        #expect(DeviceInfo().name == DeviceInfo.machine && DeviceInfo.machine?.isEmpty == false)
    }
}

/// Keeps what is sent.
private final class RecordingTransport: Transport {
    private let server: FakeServer
    private let sent = Mutex<[TransportRequest]>([])

    init(_ server: FakeServer) { self.server = server }

    var schemas: [[String: String]] { requests { $0.url.hasSuffix("/schemas/") }.map(\.headers) }
    var pages: [[String: String]] { requests { $0.url.contains("/sync/?") }.map(\.headers) }
    var uploads: [([String: String], Data)] { requests { $0.method == .post }.map { ($0.headers, $0.body) } }

    private func requests(_ condition: (TransportRequest) -> Bool) -> [TransportRequest] {
        sent.withLock { $0.filter(condition) }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        sent.withLock { $0.append(request) }
        return try await server.send(request)
    }
}
