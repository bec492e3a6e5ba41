import Foundation
import GRDB
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore
import SyncStoreSQL
@testable import SyncStoreSQLite
import SyncTestKit
import Testing

/// Databases from before the ledger of devices.
@Suite struct DeviceMigrationTests {
    private func requireLedger(_ path: String, user: Int64, _ opener: SQLiteStore.Opener) async throws {
        let store = try SQLiteStore(
            path: path, registry: try Registry.builtIn(), opener: opener, mender: DraftMender())
        let noon = Workbench<ModelStore>.noon
        let device = Device(
            key: DeviceKey(user: user, id: "d"),
            overall: DeviceActivity(firstSeen: noon, lastSeen: noon, sent: Dated(7, at: noon)))
        try await store.write { try $0.merge([device]) }
        #expect(try await store.read { try $0.devices(of: user, in: nil) } == [device])
        try store.close()
        #expect(try DatabaseCheck(path: path).run().isSound)
    }

    @Test(arguments: ["layout-5", "layout-6"]) func anOlderLayoutGetsTheLedger(name: String) async throws {
        let folder = try TemporaryFolder()
        _ = try ReleasedDatabase(name, to: folder.path("t.db"))
        try await requireLedger(folder.path("t.db"), user: 1, .server)
    }

    /// The layout had its number before it had the ledger.
    @Test(arguments: [true, false], ["TABLE tidemark_devices", "COLUMN sent"])
    func theSameLayoutGetsTheLedger(isServer: Bool, lacks: String) async throws {
        let folder = try TemporaryFolder()
        let (path, registry) = (folder.path("t.db"), try Registry.builtIn())
        let bench = try await Workbench(
            SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender()), registry)
        try bench.store.close()
        let queue = try DatabaseQueue(path: path)
        let columns = "ALTER TABLE tidemark_devices DROP COLUMN sent; ALTER TABLE tidemark_devices DROP COLUMN sent_at"
        let sql = lacks == "COLUMN sent" ? columns : "DROP \(lacks)"
        try await queue.write { try $0.execute(sql: sql) }
        try queue.close()
        try await requireLedger(path, user: bench.caller(.member).userID, isServer ? .server : .guest)
    }
}
