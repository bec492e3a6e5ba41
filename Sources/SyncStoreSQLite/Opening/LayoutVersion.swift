import SyncProtocol
import SyncStore
import SyncStoreSQL

/// The version of the tables, indexes and derived values: the one that a file was written with, and this program's.
enum LayoutVersion {
    /// Reads the file's version.
    static let question = "SELECT value FROM tidemark_settings WHERE name = 'layout'"

    static var current: Int { number(TableLayout.version) }

    /// The first version of Tidemark recorded none, which counts as 0. A text that is not a number belongs to a version
    /// that this one knows nothing about, and counts as newer.
    static func number(_ recorded: String?) -> Int { recorded.map { Int($0) ?? .max } ?? 0 }

    /// Throws a `StoreError` if the file's version is newer than this program's.
    /// Writing would mix two forms, and the newer one is unknown here.
    static func refuseNewer(_ layout: Int, in path: String) throws(StoreError) {
        guard layout > current else { return }
        throw StoreError(
            "\(path) was made by a newer version of Tidemark. It was not changed.",
            hint: "Use that version or a later one. To go back, restore a backup from before the upgrade.")
    }
}
