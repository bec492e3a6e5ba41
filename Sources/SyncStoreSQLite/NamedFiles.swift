import GRDB
package import SyncStore
import SyncStoreSQL

/// The files that rows of a database name, read from a file that nobody writes to, such as a backup.
package struct NamedFiles {
    private let path: String

    package init(of path: String) { self.path = path }

    /// Whether rows name no file. Also for a database that somebody writes to. Throws a `StoreError` if there is none
    /// of this or an older version that can be read.
    package func isEmpty() throws -> Bool {
        let file = DatabaseFile(path)
        try file.requireReadable()
        var isEmpty = true
        try NamedFiles(of: file.nameToRead).read(FileCheck.named + " LIMIT 1") { _ in isEmpty = false }
        return isEmpty
    }

    /// Sorted by place.
    package func visit(_ body: (StoredFile) throws -> Void) throws {
        try read(FileCheck.named) { try body(StoredFile($0)) }
    }

    /// The places that begin with the prefix, which is not empty.
    func places(_ prefix: String) throws -> Set<String> {
        var places: Set<String> = []
        try read(FileCheck.named(prefix)) { places.insert($0.string(0)) }
        return places
    }

    /// Does nothing for a database of a version without files.
    private func read(_ sql: String, _ body: (RawRows) throws -> Void) throws {
        var configuration = Configuration()
        configuration.readonly = true
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        try queue.inDatabase { db in
            guard try db.tableExists("tidemark_files") else { return }
            try db.each(sql) { row in
                try body(row)
                return true
            }
        }
    }
}
