import Foundation
import GRDB

/// Copies a database page by page, by SQLite's own means: https://sqlite.org/backup.html
///
/// All of it in one read transaction of the source, so that the copy is one committed state, and no commit makes the
/// copy begin again. Pages that nobody uses any more come along.
struct PageCopy {
    /// Pages between two looks for an interruption: 16 MiB of the usual ones.
    private static let pagesAStep: CInt = 4096

    /// Fills the empty file at `path`. Nothing of it need be on the disk then.
    static func run(from source: Database, to path: String, until interruption: Interruption) throws {
        let target = try openTarget(path)
        defer { try? target.close() }
        // Before the first look at a table a transaction has no state.
        try source.execute(sql: "SELECT count(*) FROM sqlite_master")
        try target.inDatabase { copy in
            try source.backup(to: copy, pagesPerStep: pagesAStep) { progress in
                if !progress.isCompleted { try interruption.requireNone() }
            }
        }
    }

    /// Without a journal and without waiting for the disk: a copy that was not finished is never used, and one that is
    /// gets synced before it has its name.
    private static func openTarget(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF") }
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
