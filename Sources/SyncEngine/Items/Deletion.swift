package import SyncProtocol
import SyncSchema
import SyncStore

/// What a delete would take along, by collection, the named row included.
package struct Deletion: Sendable, Equatable {
    /// How many rows.
    private var rows: [String: Int] = [:]
    /// How many of them the caller can't see.
    private var hidden: [String: Int] = [:]

    /// Of a draft in which the row and its cascade are deleted.
    init(_ draft: Draft, _ access: ProjectAccess) {
        for (key, entry) in draft.entries {
            guard entry.becameDeleted, let row = entry.original else { continue }
            rows[key.collection, default: 0] += 1
            let isSeen = access.sees(row, in: draft.registry.collection(key.collection), draft.registry)
            if !isSeen { hidden[key.collection, default: 0] += 1 }
        }
    }

    /// Of a whole project, from the counters that every write keeps.
    init(of project: ProjectAccess, _ registry: Registry, _ transaction: any ReadTransaction) throws {
        let id = project.project.id
        var digests: [Audience: [String: CollectionDigest]] = [:]
        for (name, counts) in try transaction.counts(project: id) where counts.live > 0 {
            guard let collection = registry[name] else { continue }
            rows[name] = counts.live
            var seen = 0
            for audience in project.audiences(of: collection, registry) {
                let kept = try digests[audience] ?? transaction.digests(project: id, of: audience)
                digests[audience] = kept
                seen += kept[name]?.count ?? 0
            }
            if seen < counts.live { hidden[name] = counts.live - seen }
        }
    }

    /// `{"deletes": {"tasks": 3}, "hidden": {}}`.
    package var json: JSON {
        ["deletes": Deletion.json(rows), "hidden": Deletion.json(hidden)]
    }

    private static func json(_ counts: [String: Int]) -> JSON { .object(counts.mapValues { .int(Int64($0)) }) }
}
