import Foundation
import GRDB
package import SyncSchema
import SyncStore
package import SyncStoreSQL

/// A file that a copy makes. It gets its name when it is complete and on the disk.
package struct SQLiteCopyTarget: CopyTarget {
    package let name: String
    private let registry: Registry
    private var file: UnfinishedFile { UnfinishedFile(of: name, as: "copy") }

    package init(path: String, registry: Registry) { (name, self.registry) = (path, registry) }

    package func unfinished() throws -> DatabaseMove? {
        for ending in UnfinishedFile.companions where FileManager.default.fileExists(atPath: name + ending) {
            guard !FileManager.default.fileExists(atPath: name) else { break }
            throw StoreError(
                "\(name + ending) belongs to another file that was called \(name), and would damage the copy.",
                hint: "Move it to another folder, or choose another name for the copy.")
        }
        if FileManager.default.fileExists(atPath: name), (try? DatabaseFile(name).requireReadable()) != nil,
            let move = DatabaseMove(try DatabaseFile(name).setting(DatabaseMove.unfinishedMark))
        {
            return move
        }
        try file.requireFree()
        return nil
    }

    package func filling(_ body: (any CopyWriter) throws -> Void) throws {
        try file.make()
        defer { file.remove() }
        do {
            let queue = try DatabaseQueue(path: file.path, configuration: Self.configuration)
            defer { try? queue.close() }
            try queue.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    try body(SQLiteCopyWriter(db, registry))
                    return .commit
                }
            }
        } catch let error as DatabaseError {
            throw StoreError.unusable(name, error)
        }
        try file.publish()
    }

    package func finish() throws {
        do {
            try DatabaseQueue(path: name).inDatabase { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
                try db.set(DatabaseMove.unfinishedMark, to: nil)
            }
        } catch let error as DatabaseError {
            throw StoreError.unusable(name, error)
        }
    }

    /// Nothing of the file is needed if its making is interrupted. So there is no journal, and the disk is waited for
    /// once, before the file gets its name.
    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { db in
            try db.execute(
                sql: """
                    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
                    PRAGMA cache_size = -262144
                    """)
            try RowChecksum.register(on: db)
        }
        return configuration
    }
}
