import Logging
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQLite
import SyncStores
import SyncTestKit

/// A server on its own database, and a project `p1` with a member of every role. The server ends with this value.
struct Scene: Sendable {
    let folder: TemporaryFolder
    let bench: Workbench<EngineStore>
    let server: TestServer
    let clock: ManualClock

    /// Read once, for all scenes.
    private static let builtIn = Result { try Registry.builtIn() }

    var registry: Registry { bench.registry }

    /// The store of the scene's file, for tests of what only files have.
    var file: SQLiteStore { get throws { try bench.store.requireFile("This test", instead: "") } }

    /// The scene's users and their tokens, on another file that holds them.
    init(_ other: Scene, on store: SQLiteStore) async throws {
        (folder, clock) = (other.folder, other.clock)
        let store = EngineStore.sqlite(store)
        bench = try await other.bench.moved(to: store)
        server = try await TestServer(store, other.registry, in: folder, clock: clock.wallClock)
    }

    /// `settings` are the product's, except in tests that flood the server;
    /// `registry` is the built-in one, except in tests of other schemas.
    init(
        in folder: TemporaryFolder? = nil, registry: Registry? = nil, settings: SyncSettings = SyncSettings(),
        accounts: Accounts = Accounts(passwords: .quick), keys: KeySource? = nil,
        observation: ObservationSettings = ObservationSettings(), events: EventSettings = EventSettings(),
        deadline: StreamDeadline = .endless, edge: Edge = .patient,
        logger: Logger = .silent, fileSettings: FileSettings = FileSettings(),
        faults: Faults? = nil,
        maintenance: (TestEngine.Place) throws -> Maintenance = { _ in Maintenance() }
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        let registry = try registry ?? Scene.builtIn.get()
        let (store, database) = try TestEngine.open(folder.path("t.db"), registry)
        bench = try await Workbench(store, registry)
        clock = ManualClock(Workbench<EngineStore>.noon)
        var accounts = accounts
        if let keys { accounts.keys = try await IssuerKeys(keys, clock: clock.wallClock) }
        server = try await TestServer(
            store, registry, in: folder, clock: clock.wallClock, settings: settings, accounts: accounts,
            observation: observation, events: events, deadline: deadline, edge: edge, logger: logger,
            maintenance: try maintenance(TestEngine.Place(folder, store, database)), fileSettings: fileSettings,
            faults: faults, keeping: database)
    }

    /// The member with this role, with a new token.
    func client(_ role: Role, isReadOnly: Bool = false) async throws -> Client {
        try await client(named: bench.caller(role).username.rawValue, isReadOnly: isReadOnly)
    }

    func client(named username: String, isReadOnly: Bool = false, validFor: Duration? = nil) async throws -> Client {
        let token = try await bench.accounts.createToken(
            for: username, name: "test", isReadOnly: isReadOnly, validFor: validFor)
        return Client(server: server, project: bench.project, token: token)
    }

    /// A client without a token.
    var stranger: Client { Client(server: server, project: bench.project) }

    /// A second project on the same server, with its own members.
    func otherProject(_ id: String = "p2") async throws -> Workbench<EngineStore> {
        try await Workbench(bench.store, registry, project: id)
    }

    func userID(_ role: Role) -> JSON { .int(bench.caller(role).userID) }
}

extension TestServer {
    /// The server of a new process, on the file of an earlier scene that has ended.
    convenience init(reopening folder: TemporaryFolder) async throws {
        let registry = try Registry.builtIn()
        let store = try SQLiteStore(
            path: folder.path("t.db"), registry: registry, opener: .server, mender: DraftMender())
        try await self.init(store, registry, in: folder, clock: WallClock { Workbench<EngineStore>.noon })
    }
}
