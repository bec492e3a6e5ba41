import GRDBSQLite

/// A release of SQLite as `sqlite3_libversion_number` returns it: 3.40.1 is 3_040_001.
struct SQLiteVersion {
    let number: Int

    /// The library that this process uses.
    static var running: SQLiteVersion { SQLiteVersion(number: Int(sqlite3_libversion_number())) }

    /// Whether a commit of one connection can damage the file while another connection resets the log:
    /// https://sqlite.org/wal.html#the_wal_reset_bug
    var hasLogResetFault: Bool {
        switch number {
        case ..<3_007_000, 3_051_003...: false
        case 3_050_007..<3_051_000, 3_044_006..<3_045_000: false
        default: true
        }
    }

    var text: String { "\(number / 1_000_000).\(number / 1000 % 1000).\(number % 1000)" }
}
