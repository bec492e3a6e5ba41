import GRDB

extension SQLiteStore {
    /// Closes all connections when their present work is done, and moves the log into the database, so the file alone
    /// is complete. The store can't be used afterwards.
    ///
    /// The connection that SQLite finds to be the last one moves and deletes the log, if it may write:
    /// https://sqlite.org/wal.html. So the readers close first, including the pool's, which would otherwise close last.
    /// If another process has the file open, the log stays, because that process uses it. A guest closes under the
    /// checkpoint lock, because another guest may be about to commit.
    package func close() throws {
        marks.close()
        try inlineReads.close()
        pool.releaseMemory()
        try checkpoints.guarded { try pool.close() }
        nameLock?.unlock()
        serverLock?.unlock()
    }
}
