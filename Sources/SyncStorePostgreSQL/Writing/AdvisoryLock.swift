import SyncStore

/// The keys of Tidemark's advisory locks in its database:
/// https://www.postgresql.org/docs/15/explicit-locking.html#ADVISORY-LOCKS
enum AdvisoryLock: Int64 {
    /// One server at a time makes or changes tables, or raises numbers. Writers share the lock.
    case opening = 7_450_001
    /// Writes of accounts run one after the other.
    case accounts = 7_450_002
    /// One server at a time gives numbers to commits.
    case numbers = 7_450_003
    /// One server at a time purges.
    case purge = 7_450_004

    init(_ job: UpkeepJob) {
        self =
            switch job {
            case .purge: .purge
            }
    }

    /// Takes the lock of an idempotency key, ?1, until the end of the transaction. Locks with two numbers never clash
    /// with those that have one.
    static let keyStatement = "SELECT pg_advisory_xact_lock(7450, hashtext(?1))"

    /// Takes the lock until the end of the transaction.
    var statement: String { "SELECT pg_advisory_xact_lock(\(rawValue))" }

    /// Takes it until the end of the connection. True if nobody has it.
    var attempt: String { "SELECT pg_try_advisory_lock(\(rawValue))" }

    /// Takes it beside others who share it.
    var sharedStatement: String { "SELECT pg_advisory_xact_lock_shared(\(rawValue))" }
}
