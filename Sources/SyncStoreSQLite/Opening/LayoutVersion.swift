import SyncProtocol
import SyncStoreSQL

/// The number of the form of tables, indexes and derived values that a file was written with, against this version's.
enum LayoutVersion {
    /// Of the file.
    static let question = "SELECT value FROM tidemark_settings WHERE name = 'layout'"

    static var current: Int { number(TableLayout.version) }

    /// The first version recorded none. What is no number is of a version that this one knows nothing about.
    static func number(_ recorded: String?) -> Int { recorded.map { Int($0) ?? .max } ?? 0 }

    /// Throws a `StoreError` for a number above this version's: it would be written back over a form that is unknown
    /// here.
    static func refuseNewer(_ layout: Int, in path: String) throws(StoreError) {
        guard layout > current else { return }
        throw StoreError(
            "\(path) was made by a newer version of Tidemark. It was not changed.",
            hint: "Run that version, or a later one. To go back, restore a backup from before the upgrade.")
    }
}
