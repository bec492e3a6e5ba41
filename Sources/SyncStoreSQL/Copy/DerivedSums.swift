import SyncProtocol
import SyncSchema
import SyncStore

/// Counts rows and computes their digests while all tables are read, and compares them with the counters and digests
/// that the database keeps.
struct DerivedSums {
    private struct CountKey: Hashable {
        let project: String
        let collection: String
    }

    private struct DigestKey: Hashable {
        let digest: DigestSums.Key
        let collection: String
    }

    let registry: Registry
    private var counted: [CountKey: RowCounts] = [:]
    private var computed: [DigestKey: CollectionDigest] = [:]
    private var keptCounts: [CountKey: RowCounts] = [:]
    private var keptDigests: [DigestKey: CollectionDigest] = [:]

    init(registry: Registry) { self.registry = registry }

    /// What reads the rows of one table.
    func reader(of table: CopyTable) -> TableSums { TableSums(table, registry[table.name]) }

    mutating func take(_ sums: TableSums) {
        switch sums.table.name {
        case "tidemark_row_counts":
            for row in sums.kept {
                keptCounts[CountKey(project: row.texts[0], collection: row.texts[1])] = RowCounts(
                    live: Int(row.numbers[0]), tombstones: Int(row.numbers[1]))
            }
        case "tidemark_digests":
            for row in sums.kept {
                guard let audience = Audience(key: row.texts[1]), !isOfLists(audience, row.texts[2]) else { continue }
                let key = DigestSums.Key(project: row.texts[0], audience: audience)
                keptDigests[DigestKey(digest: key, collection: row.texts[2])] = CollectionDigest(
                    count: Int(row.numbers[0]), bits: UInt64(bitPattern: row.numbers[1]))
            }
        default:
            for (project, counts) in sums.counts {
                counted[CountKey(project: project, collection: sums.table.name)] = counts
            }
            for (key, digest) in sums.digests.digests {
                computed[DigestKey(digest: key, collection: sums.table.name)] = digest
            }
        }
    }

    /// Whether it is the digest of a listed user. Rows alone don't tell whom they are listed for.
    private func isOfLists(_ audience: Audience, _ collection: String) -> Bool {
        if case .user = audience { registry[collection]?.isListed ?? false } else { false }
    }

    /// What the rows and the kept values disagree about; nil if they agree.
    var fault: String? {
        let none = RowCounts(live: 0, tombstones: 0)
        for key in Set(counted.keys).union(keptCounts.keys)
        where counted[key] ?? none != keptCounts[key] ?? none {
            return "the counters of \(key.collection) in the project \(key.project) don't match the rows"
        }
        for key in Set(computed.keys).union(keptDigests.keys)
        where computed[key] ?? .empty != keptDigests[key] ?? .empty {
            return "the digest of \(key.collection) in the project \(key.digest.project) does not match the rows"
        }
        return nil
    }
}

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
            self.id = id
            self.project = project
            self.version = version
            self.isDeleted = isDeleted
            self.isGated = isGated
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
            add(row, collection: collection, places: places)
        } else if ["tidemark_row_counts", "tidemark_digests"].contains(table.name) {
            kept.append((row.compactMap(\.string), row.compactMap(\.integer)))
        }
    }

    private mutating func add(_ row: UnsafeBufferPointer<Cell>, collection: Collection, places: Places) {
        guard case .text(let id) = row[places.id], case .text(let project) = row[places.project] else { return }
        let isDeleted = row[places.isDeleted].integer != 0
        let key = String(decoding: project, as: UTF8.self)
        counts[key, default: RowCounts(live: 0, tombstones: 0)].add(isDeleted: isDeleted)
        let isGated = row[places.isGated].integer != 0
        guard !isDeleted,
            let audience = collection.audience(isGated: isGated, owner: places.owner.flatMap { row[$0].integer })
        else { return }
        digests.add(id, version: ServerVersion(row[places.version].integer ?? 0), of: project, audience: audience)
    }
}

extension RowCounts {
    fileprivate mutating func add(isDeleted: Bool) {
        if isDeleted { tombstones += 1 } else { live += 1 }
    }
}
