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
                guard let audience = Audience(key: row.texts[1]) else { continue }
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
