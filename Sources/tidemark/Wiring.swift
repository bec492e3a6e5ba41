import Foundation
import SyncEngine
import SyncSchema
import SyncStoreSQLite

/// The one place that puts store and services together.
struct Wiring {
    let registry: Registry
    let store: SQLiteStore
    let accounts: AccountService<SQLiteStore>
    let projects: ProjectService<SQLiteStore>

    /// Opens the database file, and says on stderr where that was a restored backup; `schemas` is a folder that replaces the embedded collections.
    init(
        database: String, schemas: String? = nil, as opener: SQLiteStore.Opener, groupsWrites: Bool = true,
        mustExist: Bool = false
    ) async throws {
        registry = try schemas.map { try Registry(folder: URL(filePath: $0)) } ?? Registry.builtIn()
        store = try SQLiteStore(
            path: database, registry: registry, opener: opener, groupsWrites: groupsWrites, mustExist: mustExist)
        if let jump = store.jumpAtOpening {
            Terminal.message("A restored backup: raised all commit numbers by \(jump.distance). Clients start anew.")
        }
        if let text = store.mendingAtOpening.text { Terminal.message(text) }
        try await Installation.prepare(store, registry)
        accounts = AccountService(store: store, registry: registry, clock: .system)
        projects = ProjectService(store: store, registry: registry, clock: .system)
    }

    /// Makes a restored copy safe, unless opening it has done so. Returns what was done.
    func restored() async throws -> RestoreJump {
        if let jump = store.jumpAtOpening { return jump }
        let jump = try await store.jump()
        try await Installation.prepare(store, registry)
        return jump
    }
}

extension Mending {
    /// Nil where nothing was done.
    fileprivate var text: String? {
        guard changed + deleted > 0 else { return nil }
        return
            "The schema makes references of fields that rows had already. "
            + "Rows that lost one which led to nothing live: \(changed). "
            + "Rows deleted, as they can't be without it: \(deleted). Clients hear of it at their next pull."
    }
}
