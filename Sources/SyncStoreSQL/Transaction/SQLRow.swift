package import SyncProtocol
package import SyncSchema
package import SyncStore
package import SyncValues

/// The current row of a statement. Columns count from 0.
package protocol SQLRow {
    /// The number of columns.
    var count: Int32 { get }
    func isNull(_ column: Int32) -> Bool
    func isInteger(_ column: Int32) -> Bool
    /// The integer in the column; 0 for null.
    func integer(_ column: Int32) -> Int64
    /// The bytes of a text; empty for null. Valid until the statement's next step.
    func text(_ column: Int32) -> UnsafeBufferPointer<UInt8>
    /// The value of a field of this type. Booleans are stored as 0 and 1, lists and objects as JSON text. Null if the
    /// column can't be read as this type.
    func value(_ column: Int32, _ schema: ValueSchema) -> JSON
}

extension SQLRow {
    package func string(_ column: Int32) -> String { String(decoding: text(column), as: UTF8.self) }

    package func optionalString(_ column: Int32) -> String? { isNull(column) ? nil : string(column) }

    package func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    package func instant(_ column: Int32) -> Instant { Instant(milliseconds: integer(column)) }

    package func optionalInstant(_ column: Int32) -> Instant? {
        optionalInteger(column).map { Instant(milliseconds: $0) }
    }
}

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

/// Decides how a scan serves a row that has all columns.
extension SQLRow {
    /// The list of the page that the row goes to; nil if the row is not served.
    @inlinable
    package func bucket(in scan: SegmentScan) -> SegmentScan.Buckets? {
        switch form(in: scan) {
        case .nothing: nil
        case .tombstone: integer(.isDeleted) != 0 ? .deleted : scan.delivery.hidden
        case .live where scan.part != nil: bucketOfPart(in: scan)
        case .live where scan.oldRows != nil && isLeftOut(of: scan): nil
        case .live: scan.delivery.created != nil && isCreated(in: scan) ? .created : .updated
        }
    }

    /// The list of a live row in a scan of a part, whose statement has the columns of `PartQuery`.
    @usableFromInline
    package func bucketOfPart(in scan: SegmentScan) -> SegmentScan.Buckets? {
        guard integer(PartQuery.status(in: scan.collection)) != 0 else { return nil }
        return scan.bucket {
            isCreated(in: scan)
        } isLeftOut: {
            isLeftOut(of: scan)
        }
    }

    @usableFromInline
    package func isCreated(in scan: SegmentScan) -> Bool {
        scan.isCreated(createdSeq: seq(.createdSeq), insertedBy: insertedBy)
    }

    @usableFromInline
    package func isLeftOut(of scan: SegmentScan) -> Bool {
        scan.leavesOut(seq: seq(.seq)) { position in
            value(SystemColumn.count + Int32(position), scan.collection.fields[position].value)
        }
    }

    @inlinable
    package func form(in scan: SegmentScan) -> SegmentScan.Form {
        let isDeleted = integer(.isDeleted) != 0
        return scan.form(isDeleted: isDeleted, seq: seq(.seq)) {
            RowLife(
                createdSeq: seq(.createdSeq), contentSeq: seq(.contentSeq), isDeleted: isDeleted,
                isGated: integer(.isGated) != 0, gateSeq: seq(.gateSeq), gateChanges: gateChanges,
                insertedBy: insertedBy)
        }
    }

    /// The scan's position at this row.
    package func position(in scan: SegmentScan) -> KeysetPosition {
        let column: SystemColumn =
            switch scan.rows {
            case .hidden: .gateSeq
            case .beside, .held, .heldOwn, .heldInserted: .createdSeq
            case .all, .own, .listed, .ungated, .lost: .seq
            }
        return KeysetPosition(seq: seq(column), id: string(.id))
    }
}

extension StoredRow {
    /// The values of all columns: `SystemColumn`, then the fields.
    package var columns: [JSON] { SystemColumn.allCases.map(value) + values }

    /// The id, then the values of `SystemColumn.stamps`.
    package var stamps: [JSON] { [value(of: .id)] + SystemColumn.stamps.map(value) }

    private func value(of column: SystemColumn) -> JSON {
        switch column {
        case .id: .string(id)
        case .version: .int(version.rawValue)
        case .isDeleted: .bool(isDeleted)
        case .seq: .int(seq.rawValue)
        case .createdSeq: .int(createdSeq.rawValue)
        case .isGated: .bool(isGated)
        case .gateSeq: .int(gateSeq.rawValue)
        case .project: .string(project)
        case .contentSeq: .int(contentSeq.rawValue)
        case .insertedBy: insertedBy.map(JSON.int) ?? .null
        case .insertedAt: insertedAt.map { .int($0.milliseconds) } ?? .null
        case .gateChanges: gateChangesText
        case .filterSeq: filterSeq.map { .int($0.rawValue) } ?? .null
        }
    }

    private var gateChangesText: JSON {
        gateChanges.isEmpty ? .null : .string(gateChanges.map(\.description).joined(separator: " "))
    }

    /// Reads the current row of a statement that selects all columns.
    package init(_ row: some SQLRow, of collection: Collection) {
        var values: [JSON] = []
        values.reserveCapacity(collection.fields.count)
        for (place, field) in zip(SystemColumn.count..., collection.fields) {
            values.append(row.value(place, field.value))
        }
        self.init(
            id: row.string(.id), project: row.string(.project), values: values,
            version: ServerVersion(row.integer(.version)), seq: row.seq(.seq), contentSeq: row.seq(.contentSeq),
            createdSeq: row.seq(.createdSeq), insertedBy: row.insertedBy, insertedAt: row.insertedAt,
            isDeleted: row.integer(.isDeleted) != 0, isGated: row.integer(.isGated) != 0,
            gateSeq: row.seq(.gateSeq), gateChanges: row.gateChanges,
            filterSeq: row.optionalInteger(SystemColumn.filterSeq.rawValue).map { SyncSeq($0) })
    }
}

extension Audience {
    /// The value of the column `audience`.
    package var key: String {
        switch self {
        case .everyone: "everyone"
        case .behindGate: "gate"
        case .user(let id): "user \(id)"
        }
    }

    /// Reads the column `audience`. Nil for a value that `key` never has.
    package init?(key: String) {
        switch key {
        case "everyone": self = .everyone
        case "gate": self = .behindGate
        default:
            guard key.hasPrefix("user "), let id = Int64(key.dropFirst(5)) else { return nil }
            self = .user(id)
        }
    }
}

extension CommitAudience {
    private var key: String {
        switch self {
        case .everyone: "everyone"
        case .members(let role): "role \(role.rawValue)"
        case .user(let id): "user \(id)"
        }
    }

    /// A text that `key` never returns counts as everyone, so no commit is kept from anybody. Layout 8 wrote `gate` for
    /// whoever passes some gate.
    private init(key: Substring) {
        let parts = key.split(separator: " ")
        if parts.count == 2, parts[0] == "user", let id = Int64(parts[1]) {
            self = .user(id)
        } else if parts.count == 2, parts[0] == "role", let role = Int(parts[1]).flatMap(Role.init(rawValue:)) {
            self = .members(from: role)
        } else {
            self = .everyone
        }
    }

    /// The value of the column `audiences`.
    package static func text(_ audiences: Set<CommitAudience>) -> String {
        audiences.map(\.key).sorted().joined(separator: ",")
    }

    /// Reads the column `audiences`.
    static func set(_ text: String) -> Set<CommitAudience> {
        Set(text.split(separator: ",").map(CommitAudience.init(key:)))
    }
}
