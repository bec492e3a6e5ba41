package import SyncProtocol

/// For rows of statements that select all columns of a collection's table.
extension SQLRow {
    @inline(__always)
    package func integer(_ column: SystemColumn) -> Int64 { integer(column.rawValue) }

    @inline(__always)
    package func seq(_ column: SystemColumn) -> SyncSeq { SyncSeq(integer(column.rawValue)) }

    package func string(_ column: SystemColumn) -> String { string(column.rawValue) }

    package var insertedBy: Int64? { optionalInteger(SystemColumn.insertedBy.rawValue) }

    package var insertedAt: Instant? { optionalInstant(SystemColumn.insertedAt.rawValue) }

    /// Stored as decimal numbers, separated by spaces.
    package var gateChanges: [SyncSeq] {
        let text = optionalString(SystemColumn.gateChanges.rawValue) ?? ""
        return text.split(separator: " ").compactMap { Int64($0) }.map { SyncSeq($0) }
    }
}
