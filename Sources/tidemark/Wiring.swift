import Foundation
import SyncAccounts
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncServer
import SyncStore
import SyncStoreSQL
import SyncStoreSQLite
import SyncStores

/// An open database, with every service on it.
struct Wiring {
    let store: EngineStore
    let services: Services<EngineStore>
    /// Where the files are; nil if there are none.
    let files: FilesPlace?

    var registry: Registry { services.registry }

    /// Opens the database, a file or a PostgreSQL server's, and reports on stderr what that did, for example to a
    /// restored backup. `schemas` is a folder that replaces the embedded collections.
    /// `reserve` is how many bytes a server keeps on the disk of a file for the time when it is full.
    init(
        database: String, schemas: String? = nil, as opener: DatabaseOpener, mustExist: Bool = false,
        settings: SyncSettings = SyncSettings(), accounts: Accounts = Accounts(),
        files: FileSettings = FileSettings(), reserve: Int = DiskReserve.size
    ) async throws {
        let registry = try Registry.reading(schemas)
        var served = try settings.limitingUploads(of: registry)
        let server = try EngineStore(
            server: database, registry, opener, mender: DraftMender(), report: { Terminal.message($0) })
        if let server {
            store = server
        } else if opener == .reader, let backup = try SQLiteStore(waitingForRestore: database) {
            served = try settings.limitingUploads(of: backup.registry)
            store = .sqlite(backup)
        } else {
            let file = try SQLiteStore(
                path: database, registry: registry, opener: opener.ofFile, mender: DraftMender(),
                groupsWrites: settings.groupCommit, mustExist: mustExist, acceptsMoved: opener.acceptsMoved,
                reservedBytes: reserve)
            store = .sqlite(file)
        }
        for sentence in store.news(of: EngineStore.name(of: database)) { Terminal.message(sentence) }
        let place = try files.place(besides: database, isFile: store.isFile)
        self.files = place
        services = try await Services(
            store: store, registry: served, settings: settings, accounts: accounts,
            files: place?.store, fileSettings: files, clock: store.clock)
    }

    /// Makes a restored copy safe, unless opening it has done so already. The audit list has it. Returns what was done.
    func restored() async throws -> RestoreJump {
        if let jump = store.jumpAtOpening {
            try await services.audit.note(.restored, jump.details)
            return jump
        }
        let file = try store.requireFile("This", instead: "Use `tidemark restored` on the database's address.")
        let now = services.clock.now()
        let jump = try await file.jump { AuditEntry(.restored, by: .thisProcess, details: $0.details, at: now) }
        try await Installation.prepare(store)
        return jump
    }
}

extension DatabaseOpener {
    fileprivate var ofFile: SQLiteStore.Opener {
        switch self {
        case .server: .server
        case .restored: .restorer
        case .guest, .reader, .promoted: .guest
        }
    }
}

extension RestoreJump {
    /// The jump as the audit list tells it.
    fileprivate var details: [String: JSON] { ["jump": .int(distance), "projects": .int(Int64(projects))] }
}

extension EngineStore {
    /// What opening the database did, as far as the operator should know it. One sentence for each item.
    fileprivate func news(of name: String) -> [String] {
        var news: [String] = []
        if case .sqlite(let file) = self { news += file.news(of: name) }
        if let jump = jumpAtOpening {
            news.append(
                "\(isFile ? "This is a restored backup." : "This database was restored, or a failover lost commits.") "
                    + "All commit numbers were raised by \(jump.distance), and clients start again from 0.")
        }
        return news + [mendingAtOpening.text].compactMap(\.self)
    }
}

extension SQLiteStore {
    fileprivate func news(of path: String) -> [String] {
        let news = isNew ? ["Made a new database at \(URL(filePath: path).path(percentEncoded: false))."] : []
        return news
            + rightsAtOpening.closed.map {
                "\($0) was open to every user of this machine. Now only its owner can use it (rights 0600)."
            }
            + rightsAtOpening.open.map {
                "\($0) is open to every user of this machine, and holds all data and keys. "
                    + "As its owner, run: chmod 600 \($0)"
            }
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
