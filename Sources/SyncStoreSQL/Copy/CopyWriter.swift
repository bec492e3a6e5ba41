package import SyncSchema
package import SyncStore

/// Fills an empty database, in one transaction. What it reads is what it has written so far.
package protocol CopyWriter: CopyReader {
    associatedtype Reader: CopyReader
    /// Reads what was written, in the same transaction.
    var reader: Reader { get }
    /// Makes the tables, without what would slow down the writing of rows.
    func makeTables(_ tables: [CopyTable]) throws
    /// Calls `rows` with a closure that adds a row with the values of all columns. Throws a `StoreError` for a value
    /// that the engine can't store.
    func fill(_ table: CopyTable, _ rows: ((UnsafeBufferPointer<Cell>) throws -> Void) throws -> Void) throws
    /// Makes the indexes, references and what only this engine has. Throws a `StoreError` if the rows break a key or
    /// refer to nothing.
    func complete(_ tables: [CopyTable]) throws
    /// Sees to it that the table assigns only greater keys.
    func setLastKey(_ key: Int64, of table: String) throws
    func set(_ setting: String, to value: String) throws
    /// Adds an entry to the audit list.
    func audit(_ entry: AuditEntry) throws
    /// Raises all numbers, so that clients of the source start again from 0.
    func jump() throws -> RestoreJump
}

extension CopyWriter {
    package var registry: Registry { reader.registry }
    package var dialect: any SQLDialect { reader.dialect }

    package func columns(of table: String) throws -> [CopyTable.Column] { try reader.columns(of: table) }

    package func setting(_ name: String) throws -> String? { try reader.setting(name) }

    package func count(_ table: CopyTable) throws -> Int { try reader.count(table) }

    package func each(_ table: CopyTable, _ read: (UnsafeBufferPointer<Cell>) throws -> Void) throws {
        try reader.each(table, read)
    }

    package func lastKey(of table: String) throws -> Int64 { try reader.lastKey(of: table) }
}
