import SyncStoreSQL

/// What a command does with a server's database, and so with a backup that waits for its restore.
enum DatabaseUse {
    /// It opens none. It works on a replica, over the network, or on nothing.
    case none
    /// It reads. A backup that waits for its restore stays as it is, byte for byte, and no file is made beside it.
    /// `backup` adds an entry to the audit list of any other database.
    case reads
    /// It writes. A backup that waits for its restore is refused, in a sentence that says how to restore it.
    case writes
    /// It is the restore: it raises the numbers of a backup and removes its mark.
    case restores
    /// It says that a PostgreSQL database was promoted.
    case promotes

    /// How a command opens a database. Nil if it opens none.
    var opener: DatabaseOpener? {
        switch self {
        case .none: nil
        case .reads: .reader
        case .writes: .guest
        case .restores: .restored
        case .promotes: .promoted
        }
    }
}
