import GRDB
import SyncProtocol

extension DrainEnd {
    /// Compares each project that has digests. Those with a part of an open batch are left out.
    func compared(_ digests: [String: [String: CollectionDigest]]) throws -> Comparison {
        let open = try String.fetchSet(db, sql: batches.openProjects)
        var comparison = Comparison(projects: [])
        var differing: Set<String> = []
        for (project, digests) in digests.sorted(by: { $0.key < $1.key }) where !open.contains(project) {
            comparison.isEmpty = false
            let found = try Replica.differing(from: digests, in: project, schema, db)
            if found.isEmpty { comparison.same.append(project) } else { comparison.projects?.append(project) }
            differing.formUnion(found)
        }
        comparison.differing = schema.collections.map(\.name).filter(differing.contains)
        return comparison
    }

    /// Forgets what told batches did in these projects, and batches of which nothing is left.
    func forgetParts(in projects: [String]) throws {
        for project in projects {
            try db.execute(
                sql: """
                    DELETE FROM _batch_project
                    WHERE project = ? AND batch IN (SELECT number FROM _batch WHERE \(batches.told))
                    """, arguments: [project])
        }
        let done = "\(batches.told) AND NOT EXISTS (SELECT 1 FROM _batch_project WHERE batch = _batch.number)"
        try Replica.forgetBatches(where: done, schema, db)
    }
}
