import ArgumentParser
import SyncAccounts
import SyncEngine
import SyncSchema
import SyncStore
import SyncStoreSQLite

/// A database file, opened next to the server that may be running on it.
struct Guest {
    let registry: Registry
    let store: SQLiteStore
    let accounts: AccountService<SQLiteStore>

    init(_ options: GuestOptions) throws {
        registry = try Registry.builtIn()
        store = try SQLiteStore(path: options.database, registry: registry, opener: .guest, mender: DraftMender())
        accounts = AccountService(store: store, clock: .system)
    }
}
