package import SyncProtocol
package import SyncSchema
package import SyncStore

extension SQLTransaction {
    package func projectIDs(after: String, limit: Int) throws -> [String] {
        let sql = "SELECT id FROM tidemark_projects WHERE id > ?1 ORDER BY id LIMIT ?2"
        return try all(sql, [.string(after), .int(Int64(limit))]) { $0.string(0) }
    }

    package func raiseHorizon(of project: String, to seq: SyncSeq) throws {
        try run(
            "UPDATE tidemark_projects SET horizon = ?2 WHERE id = ?1 AND horizon < ?2",
            [.string(project), .int(seq.rawValue)])
    }

    package func forgetFormerOwners(of project: String) throws {
        try run(
            """
            DELETE FROM tidemark_former_owners WHERE project_id = ?1
            AND sync_seq <= (SELECT horizon FROM tidemark_projects WHERE id = ?1)
            """, [.string(project)])
    }

    // MARK: Rows

    package func purge(
        _ collection: Collection, project: String, upTo upper: SyncSeq, from position: PurgePosition, limit: Int
    ) throws -> PurgeStep {
        try touch(project)
        noteWrite(of: nil, in: collection)
        let query = layout(collection).purge
        let values: [JSON] = [
            .string(project), .int(position.key.seq.rawValue), .string(position.key.id), .int(upper.rawValue),
            .int(Int64(limit)),
        ]
        let found = try all(query.candidates, values) {
            KeysetPosition(seq: SyncSeq($0.integer(0)), id: $0.string(1))
        }
        var (candidates, here) = (found.makeIterator(), position)
        var step = PurgeStep()
        for _ in 0..<limit {
            let id: String
            if let parent = here.parents.popLast() {
                id = parent
            } else if let candidate = candidates.next() {
                id = candidate.id
                here.key = candidate
            } else {
                return step
            }
            let gone = try first(query.delete, [.string(id), .string(project), .int(upper.rawValue)]) { row in
                (seq: SyncSeq(row.integer(0)), parents: (1..<row.count).compactMap { row.optionalString($0) })
            }
            guard let gone else { continue }
            step.removed += 1
            step.largest = max(step.largest, gone.seq)
            here.parents += gone.parents
            try forgetTraces(of: id, collection)
        }
        step.next = here
        return step
    }

    /// Deletes what would collide with a new row under the same id.
    private func forgetTraces(of id: String, _ collection: Collection) throws {
        try run(
            "DELETE FROM tidemark_changes WHERE collection = ?1 AND row_id = ?2",
            [.string(collection.name), .string(id)])
        guard collection.fields.contains(where: { $0.reference?.isList ?? false }) else { return }
        try run(
            "DELETE FROM tidemark_list_references WHERE collection = ?1 AND row_id = ?2",
            [.string(collection.name), .string(id)])
    }
}
