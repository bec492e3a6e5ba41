import GRDB
package import SyncSchema
package import SyncStore
package import SyncStoreSQL

/// A file that is copied. It is held as a server holds it, so no server may be running on it. Commands that want to
/// write meanwhile wait, and fail once the file is marked.
package struct SQLiteCopySource: CopySource {
    package let name: String
    private let registry: Registry
    private let mender: any RowMender

    package init(path: String, registry: Registry, mender: any RowMender) {
        (name, self.registry, self.mender) = (path, registry, mender)
    }

    package func movedTo() throws -> DatabaseMove? {
        try DatabaseFile(name).requireReadable()
        return DatabaseMove(try DatabaseFile(name).setting(DatabaseMove.movedMark))
    }

    package func reading(_ body: (any CopyReader) throws -> DatabaseMove?) throws {
        let store = try SQLiteStore(
            path: name, registry: registry, opener: .sole, mender: mender, mustExist: true)
        do {
            try store.failures.translated {
                try store.pool.writeWithoutTransaction { db in
                    try db.inTransaction(.immediate) {
                        let move = try body(SQLiteCopyReader(db: db, registry: registry))
                        if let move { try db.set(DatabaseMove.movedMark, to: move.text) }
                        return .commit
                    }
                }
            }
        } catch {
            try? store.close()
            throw error
        }
        try? store.close()
    }
}
