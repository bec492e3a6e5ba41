import SyncProtocol
import SyncStore
import SyncStoreSQL

/// The version of the tables: of those that all engines have, and of those that only this one has.
enum DatabaseLayout {
    /// The version of `OwnTables`, and of the form that tables have in this engine.
    private static let own = 4
    private static let sharedSetting = "layout"
    static let ownSetting = "postgresql_layout"

    /// Whether the database has Tidemark's tables.
    static func isPresent(_ session: Session) throws -> Bool {
        let table = try session.ask("SELECT CAST(to_regclass('tidemark_settings') AS TEXT)").first
        return table.map { !$0.isNull(0) } ?? false
    }

    static func record(_ transaction: PostgreSQLTransaction) throws {
        try transaction.set(sharedSetting, to: TableLayout.version)
        try transaction.set(ownSetting, to: String(own))
    }

    /// Whether the tables are of this version. False for those that lack what came since their version, and that
    /// `DatabaseMigration.upgrade` can bring up to date. Throws a `StoreError` for all others. Changes nothing.
    static func isCurrent(_ transaction: PostgreSQLTransaction, _ address: ServerAddress) throws -> Bool {
        let shared = try number(sharedSetting, transaction)
        guard let shared, let recorded = try number(ownSetting, transaction) else {
            throw StoreError(
                "The database \(address) was made by an unfinished version of Tidemark.",
                hint: "Make a new database. To keep the data, run `tidemark export` with the version that made it, "
                    + "and `tidemark import` with this one.")
        }
        let present = Int(TableLayout.version) ?? 0
        if shared == present, (1...own).contains(recorded) { return recorded == own }
        guard shared > present || recorded > own else {
            throw StoreError(
                "The database \(address) was made by an older version of Tidemark.",
                hint: "Use that version, or make a new database and import the projects into it.")
        }
        throw StoreError(
            "The database \(address) was made by a newer version of Tidemark. It was not changed.",
            hint: "Use that version or a later one. To go back, restore a backup from before the upgrade.")
    }

    /// A text that is not a number belongs to a version that this one knows nothing about, and counts as newer.
    private static func number(_ setting: String, _ transaction: PostgreSQLTransaction) throws -> Int? {
        try transaction.setting(setting).map { Int($0) ?? .max }
    }
}
