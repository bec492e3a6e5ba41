import Foundation
import SyncAccounts
import SyncEngine
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQLite
import SyncStores

/// An open database, with every service on it.
struct Wiring {
    let store: EngineStore
    let services: Services<EngineStore>

    var registry: Registry { services.registry }

    /// Opens the database, a file or a PostgreSQL server's, and reports on stderr what that did, for example to a
    /// restored backup. `schemas` is a folder that replaces the embedded collections.
    init(
        database: String, schemas: String? = nil, as opener: SQLiteStore.Opener, mustExist: Bool = false,
        settings: SyncSettings = SyncSettings(), accounts: Accounts = Accounts()
    ) async throws {
        let registry = try schemas.map { try Registry(folder: URL(filePath: $0)) } ?? Registry.builtIn()
        let served = try settings.limitingUploads(of: registry)
        if let server = try EngineStore(server: database, registry) {
            store = server
        } else {
            let file = try SQLiteStore(
                path: database, registry: registry, opener: opener, mender: DraftMender(),
                groupsWrites: settings.groupCommit, mustExist: mustExist)
            for sentence in file.news(of: database) { Terminal.message(sentence) }
            store = .sqlite(file)
        }
        services = try await Services(store: store, registry: served, settings: settings, accounts: accounts)
    }

    /// Makes a restored copy safe, unless opening it has done so already. Returns what was done.
    func restored() async throws -> RestoreJump {
        let file = try store.requireFile(
            "`tidemark restored`", instead: "This version can't do it for a PostgreSQL database yet.")
        if let jump = file.jumpAtOpening { return jump }
        let jump = try await file.jump()
        try await Installation.prepare(store, registry)
        return jump
    }
}

extension SQLiteStore {
    /// What opening the file did, as far as the operator should know it. One sentence for each item.
    fileprivate func news(of path: String) -> [String] {
        var news = isNew ? ["Made a new database at \(URL(filePath: path).path(percentEncoded: false))."] : []
        news += rightsAtOpening.closed.map {
            "\($0) was open to every user of this machine. Now only its owner can use it (rights 0600)."
        }
        news += rightsAtOpening.open.map {
            "\($0) is open to every user of this machine, and holds all data and keys. "
                + "As its owner, run: chmod 600 \($0)"
        }
        if let jump = jumpAtOpening {
            news.append(
                "This is a restored backup. All commit numbers were raised by \(jump.distance), "
                    + "and clients start again from 0.")
        }
        return news + [mendingAtOpening.text].compactMap(\.self)
    }
}

extension Mending {
    /// Nil if nothing was changed.
    fileprivate var text: String? {
        guard changed + deleted > 0 else { return nil }
        return
            "The schema turned existing fields into references. "
            + "Rows that lost a reference because it led to no live row: \(changed). "
            + "Rows deleted because they can't be without it: \(deleted). Clients receive this with their next pull."
    }
}
