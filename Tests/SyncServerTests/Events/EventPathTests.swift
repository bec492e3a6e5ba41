import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

/// A collection of an own schema that had the name `events` before the server did.
@Suite(.timeLimit(.minutes(30))) struct EventPathTests {
    private let server: TestServer
    private let member: Client

    init() async throws {
        let registry = try Documents.registry { $0.add("events", ["text": ["type": "string"]], required: ["text"]) }
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        server = try await TestServer(
            bench.store, registry, in: TemporaryFolder(), clock: WallClock { Workbench<ModelStore>.noon })
        let token = try await bench.accounts.createToken(
            for: "owner-p1", name: "test", isReadOnly: false, validFor: nil)
        member = Client(server: server, project: "p1", token: token)
    }

    @Test func bothAreServed() async throws {
        let reader = try await EventReader(member)
        #expect(try await reader.next()?.name == "hello")
        #expect(try await member.create("events", ["id": "x", "text": "T"]).status == 201)
        #expect(try await reader.next()?.data.object?.keys.sorted() == ["p1"])
        #expect(try await member.list("events").at("/results/0/text") == "T")
        #expect(try await member.read("events", "x").at("/text") == "T")
        #expect(try await member.remove("events", "x").status == 204)
    }

    @Test func aTicketDoesNotOpenItsRows() async throws {
        #expect(try await member.create("events", ["id": "x", "text": "T"]).status == 201)
        let ticket = try #require(try await member.send("POST", "/auth/ticket/").json["ticket"]?.string)
        let stranger = Client(server: server, project: "p1", token: nil)
        for prefix in ["", "/api/v1"] {
            for path in ["/events/x/", "/projects/p1/events/", "/projects/p1/sync/"] {
                #expect(try await stranger.send("GET", "\(prefix)\(path)?ticket=\(ticket)").status == 401, "\(path)")
            }
        }
        #expect(try await EventReader(stranger, "?ticket=\(ticket)").status == 200)
    }
}
