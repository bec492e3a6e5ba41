import SyncProtocol
import SyncSchema
import SyncStore

/// The counts and digests of one collection's rows, or the values that a table keeps of them.
struct TableSums {
    /// Where the columns are that the sums are made of.
    private struct Places {
        let id, project, version, isDeleted, isGated: Int
        let owner: Int?

        init?(_ table: CopyTable, _ collection: Collection) {
            func place(_ column: SystemColumn) -> Int? { table.place(of: column.name) }
            guard let id = place(.id), let project = place(.project), let version = place(.version),
                let isDeleted = place(.isDeleted), let isGated = place(.isGated)
            else { return nil }
            (self.id, self.project, self.version) = (id, project, version)
            (self.isDeleted, self.isGated) = (isDeleted, isGated)
            owner = collection.ownerField.flatMap { table.place(of: $0) }
        }
    }

    let table: CopyTable
    private let collection: Collection?
    private let places: Places?
    private(set) var counts: [String: RowCounts] = [:]
    private(set) var digests = DigestSums()
    /// The texts and numbers of each row of a table that keeps counts or digests.
    private(set) var kept: [(texts: [String], numbers: [Int64])] = []

    init(_ table: CopyTable, _ collection: Collection?) {
        self.table = table
        self.collection = collection
        places = collection.flatMap { Places(table, $0) }
    }

    mutating func add(_ row: UnsafeBufferPointer<Cell>) {
        if let collection, let places {
            add(row, collection, places)
        } else if ["tidemark_row_counts", "tidemark_digests"].contains(table.name) {
            kept.append((row.compactMap(\.string), row.compactMap(\.integer)))
        }
    }

    private mutating func add(_ row: UnsafeBufferPointer<Cell>, _ collection: Collection, _ places: Places) {
        guard case .text(let id) = row[places.id], case .text(let project) = row[places.project] else { return }
        let isDeleted = row[places.isDeleted].integer != 0
        let key = String(decoding: project, as: UTF8.self)
        counts[key, default: RowCounts(live: 0, tombstones: 0)].add(isDeleted: isDeleted)
        let isGated = row[places.isGated].integer != 0
        guard !isDeleted,
            let audience = collection.audience(isGated: isGated, owner: places.owner.flatMap { row[$0].integer })
        else { return }
        digests.add(id, ServerVersion(row[places.version].integer ?? 0), of: project, audience)
    }
}

extension RowCounts {
    fileprivate mutating func add(isDeleted: Bool) {
        if isDeleted { tombstones += 1 } else { live += 1 }
    }
}
