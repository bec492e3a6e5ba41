package import SyncStore
import SyncStoreSQL

extension SQLiteStore {
    /// Opens a file beside a server, with the collections that it was made for, so opening changes nothing of it.
    /// Throws a `StoreError` for a file that opening would change: one of an older version, a backup, or an unfinished
    /// copy.
    package convenience init(asItIs path: String, mender: any RowMender) throws {
        let file = DatabaseFile(path)
        try file.requireReadable()
        guard LayoutVersion.number(try file.setting("layout")) == LayoutVersion.current else {
            throw StoreError("\(path) was made by an older version of Tidemark.", hint: "Start a server on it once.")
        }
        guard try file.setting(RestoreJump.mark) == nil else {
            throw StoreError("\(path) is a backup itself.", hint: "Nothing needs to be done.")
        }
        try self.init(
            path: path, registry: RecordedSchemas.registry(file.setting("schemas")), opener: .guest, mender: mender,
            mustExist: true)
    }
}
