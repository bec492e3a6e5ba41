import Foundation
import SyncEngine
import SyncProtocol
import SyncStore
import SyncStoreSQLite
import SyncTestKit
import Testing

extension Scene {
    /// Backs up the scene's file under a name in its folder.
    func backUp(to name: String = "b.db") throws {
        _ = try Backup(of: folder.path("t.db"), to: folder.path(name)).run()
    }

    /// A server on a copy of the backup; `opener` opens it first.
    func restored(firstBy opener: SQLiteStore.Opener = .server, from name: String = "b.db") async throws -> Scene {
        let path = folder.path("restored-\(UUID().uuidString).db")
        try FileManager.default.copyItem(atPath: folder.path(name), toPath: path)
        if opener == .restorer {
            #expect(
                try SQLiteStore(path: path, registry: registry, opener: .restorer, mender: DraftMender()).jumpAtOpening
                    != nil)
        }
        let store = try SQLiteStore(path: path, registry: registry, opener: .server, mender: DraftMender())
        #expect((store.jumpAtOpening == nil) == (opener == .restorer))
        return try await Scene(self, on: store)
    }

    /// The number to which a restore raised the project's counter.
    func floor() async throws -> SyncSeq { try await bench.store.read { try $0.project(bench.project)!.floor } }
}
