import Foundation
import GRDB

/// Copies a database page by page with SQLite's backup API: https://sqlite.org/backup.html
///
/// The whole copy is made in one read transaction of the source. So it is one committed state, and no commit makes it
/// start again. Unused pages are copied too.
struct PageCopy {
    /// The number of pages between two checks for an interruption: 16 MiB with pages of the usual size.
    private static let pagesAStep: CInt = 4096

    /// Fills the empty file at `path`. Does not sync it to the disk.
    static func run(from source: Database, to path: String, until interruption: Interruption) throws {
        let target = try openTarget(path)
        defer { try? target.close() }
        // A transaction has no state before its first read.
        try source.execute(sql: "SELECT count(*) FROM sqlite_master")
        try target.inDatabase { copy in
            try source.backup(to: copy, pagesPerStep: pagesAStep) { progress in
                if !progress.isCompleted { try interruption.requireNone() }
            }
        }
    }

    /// Without a journal and without syncing. An unfinished copy is
    /// never used, and a finished one is synced before it gets its name.
    private static func openTarget(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF") }
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
