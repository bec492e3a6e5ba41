import GRDB

extension SQLiteStore {
    /// Ends all connections behind what they are at, and moves the log into the database, so that the file alone is the
    /// whole. Nothing can be asked of the store any more.
    ///
    /// The connection that SQLite finds to be the last one moves the log and deletes it, if it may write:
    /// https://sqlite.org/wal.html. So the readers go first, the pool's too, which would be last otherwise. Where
    /// another process has the file open, the log stays: it is still that one's. A guest does it under the lock of
    /// checkpoints, since another guest may be about to commit.
    package func close() throws {
        marks.close()
        try inlineReads.close()
        pool.releaseMemory()
        try checkpoints.guarded { try pool.close() }
        serverLock?.unlock()
    }
}
