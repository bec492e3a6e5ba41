import Dispatch
import Foundation
package import SyncStore
import SyncStoreSQL
import SyncStoreSQLite

#if PostgreSQL
    import SyncStorePostgreSQL
#endif

extension EngineStore {
    /// Checks a database, a file or a server's, without changing it. Without `files`, bytes of files are not looked at.
    /// Throws a `StoreError` if it can't be checked.
    package static func check(_ database: String, files: (any FileInspector)?) throws -> CheckReport {
        guard isServer(database) else { return try DatabaseCheck(path: database, files: files).run() }
        #if PostgreSQL
            return try PostgreSQLCheck(ServerAddress(database), files: files).run()
        #else
            throw missing
        #endif
    }

    /// Whether rows of a database file name files. A server may be running on it.
    package static func namesFiles(_ database: String) throws -> Bool { try !NamedFiles(of: database).isEmpty() }

    /// Checks a database beside other work: on half of the processors, and off Swift's own threads, which must not
    /// block. It ends early if the task is cancelled.
    ///
    /// `store` is the one that has the database open in this process; nil if none has. Throws what `check` throws, and
    /// a `CancellationError`.
    package static func checkAside(
        _ database: String, open store: EngineStore?, files: (any FileInspector)?,
        onProgress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) async throws -> CheckReport {
        let watch = CheckWatch(onProgress: onProgress)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                DispatchQueue.global(qos: .utility).async {
                    continuation.resume(with: Result { try check(database, open: store, files: files, watch) })
                }
            }
        } onCancel: {
            watch.end()
        }
    }

    private static func check(
        _ database: String, open store: EngineStore?, files: (any FileInspector)?, _ watch: CheckWatch
    ) throws -> CheckReport {
        guard isServer(database) else {
            return try DatabaseCheck(
                path: database, open: store?.file, files: files, watch: watch,
                readers: max(1, ProcessInfo.processInfo.activeProcessorCount / 2)
            ).run()
        }
        #if PostgreSQL
            return try PostgreSQLCheck(ServerAddress(database), files: files, watch: watch).run()
        #else
            throw missing
        #endif
    }

    /// Nil for a database on a server.
    private var file: SQLiteStore? { if case .sqlite(let store) = self { store } else { nil } }
}
