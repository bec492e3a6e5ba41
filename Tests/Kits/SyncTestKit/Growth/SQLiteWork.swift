import GRDBSQLite
import Synchronization

/// Counts what SQLite does on the files of one folder: the steps of its virtual machine, over all connections that this
/// process opens on them later. Unlike time, it is the same on every machine and at every load.
///
/// https://sqlite.org/c3ref/c_stmtstatus_counter.html
package final class SQLiteWork: Sendable {
    private static let watched = Mutex<[SQLiteWork]>([])

    private let folder: String
    private let count = Atomic(0)

    /// `folder` is a part of the paths that no other has. It is watched until the process ends.
    package init(in folder: String) {
        self.folder = folder
        SQLiteWork.watched.withLock { $0.append(self) }
        // Because a second registration of one function does nothing, this may be called often.
        _ = sqlite3_auto_extension(unsafeBitCast(SQLiteWork.opened, to: (@convention(c) () -> Void).self))
    }

    /// The steps that statements have taken so far, when they were done or reset.
    package var steps: Int { count.load(ordering: .relaxed) }

    /// The steps that `body` takes.
    package func steps(_ body: () async throws -> Void) async rethrows -> Int {
        let before = steps
        try await body()
        return steps - before
    }

    private typealias Opened =
        @convention(c) (
            OpaquePointer?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?, UnsafeRawPointer?
        ) -> CInt

    /// Called by SQLite for each new connection: https://sqlite.org/c3ref/auto_extension.html
    private static let opened: Opened = { connection, _, _ in
        guard let connection, let name = sqlite3_db_filename(connection, "main") else { return SQLITE_OK }
        let path = String(cString: name)
        guard let work = watched.withLock({ $0.first { path.contains($0.folder) } }) else { return SQLITE_OK }
        // Unretained because `watched` keeps it until the process ends.
        let context = Unmanaged.passUnretained(work).toOpaque()
        return sqlite3_trace_v2(connection, UInt32(SQLITE_TRACE_PROFILE), finished, context)
    }

    private static let finished:
        @convention(c) (UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> CInt =
            {
                _, context, statement, _ in
                guard let context, let statement else { return 0 }
                let steps = sqlite3_stmt_status(OpaquePointer(statement), SQLITE_STMTSTATUS_VM_STEP, 1)
                Unmanaged<SQLiteWork>.fromOpaque(context).takeUnretainedValue().count
                    .add(Int(steps), ordering: .relaxed)
                return 0
            }
}
