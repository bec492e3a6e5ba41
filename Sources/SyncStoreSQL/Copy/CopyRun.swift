import SyncProtocol
import SyncSchema
import SyncStore

/// Copies all rows, and then compares what the target has with what the source gave.
struct CopyRun {
    /// How many rows pass between two reports of progress.
    private static let step = 1000

    private let reader: any CopyReader
    private let writer: any CopyWriter
    /// The source's name.
    private let source: String

    init(_ reader: any CopyReader, _ writer: any CopyWriter, of source: String) {
        self.reader = reader
        self.writer = writer
        self.source = source
    }

    func run(_ progress: (CopyProgress) throws -> Void) throws -> DatabaseCopy.Report {
        let tables = try reader.tables()
        let total = try tables.reduce(0) { $0 + (try reader.count($1)) }
        try progress(.copied(rows: 0, of: total))
        try writer.makeTables(tables)
        var done = 0
        let given = try tables.map { table in
            try copy(table) {
                done += 1
                if done % Self.step == 0 { try progress(.copied(rows: done, of: total)) }
            }
        }
        try progress(.completing)
        try writer.complete(tables)
        for table in SystemTables(writer.dialect).withAssignedKeys {
            try writer.setLastKey(reader.lastKey(of: table), of: table)
        }
        try verify(tables, given: given, total: total, progress: progress)
        return DatabaseCopy.Report(rows: done, tables: tables.count)
    }

    private func copy(_ table: CopyTable, _ count: () throws -> Void) throws -> TableFingerprint {
        var fingerprint = TableFingerprint()
        try writer.fill(table) { add in
            try reader.each(table) { row in
                if let text = row.firstIndex(where: \.isUnstorable) { throw unstorable(text, row: row, table: table) }
                fingerprint.add(row)
                try add(row)
                try count()
            }
        }
        return fingerprint
    }

    private func unstorable(_ place: Int, row: UnsafeBufferPointer<Cell>, table: CopyTable) -> StoreError {
        let key = row.prefix(2).compactMap(\.description).joined(separator: " ")
        return StoreError(
            "\(source) has a text that no database can store: it has the character U+0000 or is not UTF-8. It is in "
                + "\(table.columns[place].name) of the row \(key) of \(table.name). Nothing was copied.",
            hint: "Tidemark never writes such a text. Correct the row, or restore a backup.")
    }

    // MARK: Verification

    private func verify(
        _ tables: [CopyTable], given: [TableFingerprint], total: Int, progress: (CopyProgress) throws -> Void
    ) throws {
        var derived = DerivedSums(registry: writer.registry)
        var done = 0
        for (table, expected) in zip(tables, given) {
            var fingerprint = TableFingerprint()
            var sums = derived.reader(of: table)
            try writer.each(table) { row in
                fingerprint.add(row)
                sums.add(row)
                done += 1
                if done % Self.step == 0 { try progress(.verified(rows: done, of: total)) }
            }
            guard fingerprint == expected else { throw difference(in: table) }
            derived.take(sums)
        }
        if let fault = derived.fault {
            throw StoreError(
                "\(source) is not sound: \(fault). Nothing was copied.", hint: "Run `tidemark check` on \(source).")
        }
    }

    private func difference(in table: CopyTable) -> StoreError {
        StoreError(
            "The table \(table.name) of the copy is not what was read from \(source). Nothing was copied.",
            hint: "Check the memory and the disks, then try again.")
    }
}

/// A number for all values of a table, in any order of its rows. Only fingerprints of the same process and of the same
/// list of columns can be compared, because Swift's hashes begin with a random seed.
package struct TableFingerprint: Equatable {
    package private(set) var rows = 0
    private var sum = 0

    package init() {}

    package mutating func add(_ row: UnsafeBufferPointer<Cell>) {
        var hasher = Hasher()
        for cell in row { TableFingerprint.add(cell, to: &hasher) }
        rows += 1
        sum &+= hasher.finalize()
    }

    /// Zero has one sign, because SQLite does not keep the other.
    private static func add(_ cell: Cell, to hasher: inout Hasher) {
        switch cell {
        case .null: hasher.combine(0 as UInt8)
        case .integer(let number):
            hasher.combine(1 as UInt8)
            hasher.combine(number)
        case .double(let number):
            hasher.combine(2 as UInt8)
            hasher.combine(number == 0 ? 0 : number)
        case .text(let bytes):
            hasher.combine(3 as UInt8)
            hasher.combine(bytes.count)
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
    }
}
