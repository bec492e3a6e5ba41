import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

@testable import SyncServer

/// A collection of an own schema that had the name `devices` before the server did.
@Suite struct DevicePathTests {
    private let registry: Registry
    private let member: Client

    init() async throws {
        registry = try Documents.registry { $0.add("devices", ["text": ["type": "string"]], required: ["text"]) }
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        let server = try await TestServer(
            bench.store, registry, in: TemporaryFolder(), clock: WallClock { Workbench<ModelStore>.noon })
        let token = try await bench.accounts.createToken(
            for: "owner-p1", name: "test", isReadOnly: false, validFor: nil)
        member = Client(server: server, project: "p1", token: token)
    }

    @Test func theCollectionKeepsTheShortPaths() async throws {
        #expect(try await member.create("devices", ["id": "x", "text": "T"]).status == 201)
        #expect(try await member.list("devices").at("/results/0/text") == "T")
        #expect(try await member.read("devices", "x").at("/text") == "T")
        try await member.pull(as: Client.device("d"))
        #expect(try await member.send("GET", "/devices/").code == "not_found")
        #expect(try await member.send("GET", "/sync/devices/").at("/results/0/device_id") == "d")
        #expect(try await member.send("GET", "/projects/p1/sync/devices/").at("/results/0/username") == "owner-p1")
        #expect(try await member.send("DELETE", "/sync/devices/d/").status == 204)
        #expect(try await member.remove("devices", "x").status == 204)
    }

    @Test func theDocumentHasBoth() throws {
        let paths = OpenAPIDocument(registry).json["paths"]?.object ?? [:]
        #expect(paths["/sync/devices/"] != nil && paths["/projects/{project}/sync/devices/"] != nil)
        #expect(paths["/devices/{id}/"]?["patch"] != nil && paths["/devices/"] == nil)
    }
}
