package import SyncProtocol
package import SyncSchema
package import SyncStore

extension SQLTransaction {
    // MARK: Questions

    package func record(_ key: RowKey) throws -> StoredRow? {
        let collection = registry.collection(key.collection)
        return try records(layout(collection).selectByID, [.string(key.id)], of: collection).first
    }

    package func records(in collection: Collection, project: String) throws -> [StoredRow] {
        try touch(project)
        let sql = layout(collection).select + "project_id = ?1 AND is_deleted = 0"
        return try records(sql, [.string(project)], of: collection)
    }

    package func records(
        in collection: Collection, project: String, with key: Collection.UniqueKey, values: [JSON]
    ) throws -> [StoredRow] {
        let terms = key.fields.enumerated().map { "\"\($1)\" = ?\($0 + 2)" }
        let sql =
            layout(collection).select
            + ([TableLayout.condition(of: key), "project_id = ?1"] + terms).joined(separator: " AND ")
        return try records(sql, [.string(project)] + values, of: collection)
    }

    package func list(
        _ collection: Collection, project: String, rows: SegmentScan.Rows, after: CreationPosition, limit: Int
    ) throws -> [StoredRow] {
        var values: [JSON] = [
            .string(project), .int(after.seq.rawValue), .string(after.id), .int(Int64(limit)),
        ]
        switch rows {
        case .own(_, let user), .listed(let user): values.append(.int(user))
        case .all, .ungated, .hidden, .beside, .lost, .held, .heldOwn, .heldInserted: break
        }
        return try records(Self.list(layout(collection), rows), values, of: collection)
    }

    /// `?1` is the project, `(?2, ?3)` the position to begin after, `?4` the greatest number of rows, `?5` the owner.
    static func list(_ layout: TableLayout, _ rows: SegmentScan.Rows) -> String {
        let selected =
            switch rows {
            case .all, .beside, .lost, .held, .heldOwn, .heldInserted: ""
            case .listed: " AND " + ListedQuery.isListed(in: layout.collection, of: "?1", for: "?5")
            case .own(let field, _): " AND \"\(field)\" = ?5"
            case .ungated, .hidden: " AND is_gated = 0"
            }
        return layout.select + "project_id = ?1 AND is_deleted = 0 AND (created_seq, id) > (?2, ?3)\(selected)"
            + " ORDER BY created_seq, id LIMIT ?4"
    }

    /// The statement is not cached: there are as many as there are combinations of filters and keys.
    package func ids(of listing: Listing) throws -> [String] {
        let query = ListSQL(listing, layout(listing.query.collection))
        return try all(query.sql, query.values, isKept: false) { $0.string(0) }
    }

    package func lastConcealment(project: String, in collection: Collection) throws -> SyncSeq {
        let sql = PageQuery.lastConcealment(layout(collection))
        return try first(sql, [.string(project)]) { SyncSeq($0.integer(0)) } ?? .zero
    }

    package func lossSeq(of key: RowKey, project: String, user: Int64) throws -> SyncSeq? {
        let sql = """
            SELECT sync_seq FROM tidemark_former_owners
            WHERE project_id = ?1 AND collection = ?2 AND user_id = ?3 AND row_id = ?4
            """
        let place: [JSON] = [.string(project), .string(key.collection), .int(user), .string(key.id)]
        return try first(sql, place) { SyncSeq($0.integer(0)) }
    }

    package func listedSpan(of key: RowKey, user: Int64) throws -> ListedSpan? {
        let sql = """
            SELECT came_seq, gone_seq, sync_seq FROM tidemark_listed
            WHERE collection = ?1 AND row_id = ?2 AND user_id = ?3
            """
        return try first(sql, [.string(key.collection), .string(key.id), .int(user)]) { row in
            ListedSpan(
                came: SyncSeq(row.integer(0)), gone: row.optionalInteger(1).map { SyncSeq($0) },
                seq: SyncSeq(row.integer(2)))
        }
    }

    package func referrers(
        to ids: [String], through field: Field, of collection: Collection, limit: Int
    ) throws -> [RowStamp] {
        var found: [RowStamp] = []
        for chunk in ValueChunks.of(ids.map(JSON.string)) where found.count < limit {
            let places = (1...chunk.count).map { "?\($0)" }.joined(separator: ", ")
            let sql = """
                SELECT id, server_version FROM "\(collection.name)"
                WHERE "\(field.name)" IN (\(places)) AND is_deleted = 0 LIMIT ?\(chunk.count + 1)
                """
            found += try all(sql, chunk + [.int(Int64(limit - found.count))]) { row in
                RowStamp(id: row.string(0), version: ServerVersion(row.integer(1)))
            }
        }
        return found
    }

    // MARK: Writes

    package func handOver(_ rows: [HandOver], of collection: Collection, project: String, at seq: SyncSeq) throws {
        func places(_ user: KeyPath<HandOver, Int64?>) -> [[JSON]] {
            rows.compactMap { row in
                row[keyPath: user].map { [.string(project), .string(collection.name), .int($0), .string(row.id)] }
            }
        }
        try write(
            places(\.from).map { $0 + [.int(seq.rawValue)] },
            """
            INSERT INTO tidemark_former_owners (project_id, collection, user_id, row_id, sync_seq)
            VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (project_id, collection, user_id, row_id) DO UPDATE SET sync_seq = excluded.sync_seq
            """)
        // This comes last. A row that is created again under a purged
        // row's id may have belonged to the same user before.
        try write(
            places(\.to),
            """
            DELETE FROM tidemark_former_owners
            WHERE project_id = ?1 AND collection = ?2 AND user_id = ?3 AND row_id = ?4
            """)
    }

    package func list(
        _ changes: [ListedChange], of collection: Collection, project: String, at seq: SyncSeq
    ) throws {
        let name = JSON.string(collection.name)
        let number = JSON.int(seq.rawValue)
        let delivered = changes.filter(\.isDelivered).map { [name, .string($0.id), number] }
        let came = changes.flatMap { row in
            row.came.map { [name, .string(row.id), .int($0), number, .string(project)] }
        }
        let went = changes.flatMap { row in row.went.map { [name, .string(row.id), .int($0), number] } }
        try write(
            delivered,
            """
            UPDATE tidemark_listed SET sync_seq = ?3 WHERE collection = ?1 AND row_id = ?2 AND gone_seq IS NULL
            """)
        try write(
            came,
            """
            INSERT INTO tidemark_listed (collection, row_id, user_id, project_id, came_seq, gone_seq, sync_seq)
            VALUES (?1, ?2, ?3, ?5, ?4, NULL, ?4)
            ON CONFLICT (collection, row_id, user_id) DO UPDATE
            SET project_id = excluded.project_id, came_seq = excluded.came_seq, gone_seq = NULL,
              sync_seq = excluded.sync_seq
            """)
        // This comes last, for a user who came and went in one commit.
        try write(
            went,
            """
            UPDATE tidemark_listed SET gone_seq = ?4, sync_seq = ?4
            WHERE collection = ?1 AND row_id = ?2 AND user_id = ?3
            """)
    }

    package func relist(_ key: RowKey, for user: Int64, at seq: SyncSeq) throws {
        try run(
            """
            UPDATE tidemark_listed SET sync_seq = ?4
            WHERE collection = ?1 AND row_id = ?2 AND user_id = ?3
            """, [.string(key.collection), .string(key.id), .int(user), .int(seq.rawValue)])
    }

    package func tombstoneAll(_ collection: Collection, project: String, at seq: SyncSeq) throws -> Int {
        noteWrite(of: nil, in: collection)
        return try change(layout(collection).tombstoneAll, [.string(project), .int(seq.rawValue)])
    }

    package func insert(_ records: [StoredRow], into collection: Collection) throws {
        try note(records, collection)
        try write(records.map(\.columns), layout(collection).insert)
        try insertListReferences(of: records, collection)
    }

    package func update(_ records: [StoredRow], in collection: Collection) throws {
        try note(records, collection)
        try write(records.map(\.columns), layout(collection).update)
        guard collection.fields.contains(where: \.isListOfIDs) else { return }
        try write(
            records.map { [.string(collection.name), .string($0.id)] },
            "DELETE FROM tidemark_list_references WHERE collection = ?1 AND row_id = ?2")
        try insertListReferences(of: records, collection)
    }

    package func restamp(_ records: [StoredRow], in collection: Collection) throws {
        try note(records, collection)
        try write(records.map(\.stamps), layout(collection).restamp)
    }

    private func note(_ records: [StoredRow], _ collection: Collection) throws {
        for record in records { try touch(record.project) }
        noteWrite(of: records.map(\.id), in: collection)
    }

    package func vacate(_ ids: [String], in collection: Collection) throws {
        noteWrite(of: ids, in: collection)
        try write(ids.map { [.string($0)] }, "UPDATE \"\(collection.name)\" SET is_deleted = 1 WHERE id = ?1")
    }

    private func insertListReferences(of records: [StoredRow], _ collection: Collection) throws {
        for (position, field) in collection.fields.enumerated() where field.isListOfIDs {
            let references = records.flatMap { record in
                (record.values[position].array ?? []).map { target -> [JSON] in
                    [.string(collection.name), .string(field.name), target.listTarget, .string(record.id)]
                }
            }
            try write(
                references,
                "INSERT INTO tidemark_list_references (collection, field, target, row_id) VALUES (?1, ?2, ?3, ?4)")
        }
    }
}

extension SQLTransaction {
    package func records(in collection: Collection, project: String, where field: Field, holdsAny values: [JSON]) throws
        -> [StoredRow]
    {
        let isList = field.isListOfIDs
        let values = isList ? values.map(\.listTarget) : values
        var found: [StoredRow] = []
        for chunk in ValueChunks.of(values) {
            let sql = layout(collection).selectReferrers(by: field, values: chunk.count)
            found += try records(sql, chunk + (field.user == nil ? [] : [.string(project)]), of: collection)
        }
        found.removeAll { $0.project != project }
        return isList && values.count > ValueChunks.largest ? unique(found) : found
    }

    /// A list can contain values of several chunks, and then its row is found several times.
    private func unique(_ records: [StoredRow]) -> [StoredRow] {
        var seen: Set<String> = []
        return records.filter { seen.insert($0.id).inserted }
    }
}

extension JSON {
    /// An element of a list as `tidemark_list_references` has it: a text.
    var listTarget: JSON { int.map { .string(String($0)) } ?? self }
}

/// The table with the elements of lists of ids, `tidemark_list_references`.
extension SQLTransaction {
    /// Fills the table again from the collection's rows.
    func rebuildListReferences(of collection: Collection) throws {
        try forgetListReferences(of: collection.name)
        for field in collection.fields where field.isListOfIDs {
            let elements = layout(collection).dialect.elements(of: "t.\"\(field.name)\"")
            try run(
                """
                INSERT INTO tidemark_list_references (collection, field, target, row_id)
                SELECT '\(collection.name)', '\(field.name)', CAST(e.value AS TEXT), t.id
                FROM "\(collection.name)" t, \(elements)
                WHERE true ON CONFLICT DO NOTHING
                """, [])
        }
    }

    /// Deletes the collection's elements.
    func forgetListReferences(of collection: String) throws {
        try run("DELETE FROM tidemark_list_references WHERE collection = ?1", [.string(collection)])
    }
}

extension SQLTransaction {
    package func digests(project: String, of audience: Audience) throws -> [String: CollectionDigest] {
        try settleCounters(of: project)
        let rows = try all(Self.digestsOfAudience, [.string(project), .string(audience.key)]) {
            ($0.string(0), CollectionDigest(count: Int($0.integer(1)), bits: UInt64(bitPattern: $0.integer(2))))
        }
        return Dictionary(rows) { $1 }
    }

    static var digestsOfAudience: String {
        "SELECT collection, live, bits FROM tidemark_digests WHERE project_id = ?1 AND audience = ?2"
    }

    /// Updates first, because the digest exists, except for an audience's first row.
    package func addDigest(
        project: String, collection: String, of audience: Audience, _ change: CollectionDigest
    ) throws {
        let values: [JSON] = [
            .string(project), .string(audience.key), .string(collection), .int(Int64(change.count)),
            .int(Int64(bitPattern: change.bits)),
        ]
        guard try self.change(statements.addDigest, values) == 0 else { return }
        try write(
            [values],
            "INSERT INTO tidemark_digests (project_id, audience, collection, live, bits) VALUES (?1, ?2, ?3, ?4, ?5)")
    }

    package func dropDigests(project: String) throws {
        try run("DELETE FROM tidemark_digests WHERE project_id = ?1", [.string(project)])
    }
}

extension SQLTransaction {
    /// Computes the digests of all projects from the rows, instead of those that are stored.
    package func rebuildDigests() throws {
        try run("DELETE FROM tidemark_digests", [])
        for collection in registry.collections { try addDigests(of: collection) }
    }

    /// Adds the digests of a collection that has none yet. Goes from project to project, because an engine may have all
    /// rows of a question in memory.
    func addDigests(of collection: Collection) throws {
        for project in try all("SELECT id FROM tidemark_projects ORDER BY id", [], read: { $0.string(0) }) {
            for (key, digest) in try digests(of: collection, in: project) {
                try run(
                    """
                    INSERT INTO tidemark_digests (project_id, audience, collection, live, bits)
                    VALUES (?1, ?2, ?3, ?4, ?5)
                    """,
                    [
                        .string(project), .string(key.audience.key), .string(collection.name),
                        .int(Int64(digest.count)), .int(Int64(bitPattern: digest.bits)),
                    ])
            }
        }
    }

    /// The digests of a project, or of all if it is nil, computed from the rows.
    package func digests(
        of collection: Collection, in project: String? = nil
    ) throws -> [DigestSums.Key: CollectionDigest] {
        var check = DigestCheck(collection)
        let sql = DigestCheck.rows(of: collection)
        let question = project.map { (sql + " AND project_id = ?1", [JSON.string($0)]) } ?? (sql, [])
        try each(question.0, question.1, isKept: true) { row in
            check.addRow(row)
            return true
        }
        guard let listed = DigestCheck.listedRows(of: collection) else { return check.computed }
        let spans = project.map { (listed + " AND s.project_id = ?1", [JSON.string($0)]) } ?? (listed, [])
        try each(spans.0, spans.1, isKept: true) { row in
            check.addListed(row)
            return true
        }
        return check.computed
    }
}

/// Splits the values of one query into chunks of a few sizes. So a few prepared statements serve any number of values.
package enum ValueChunks {
    package static let sizes = [1, 16, 256]
    package static let largest = 256

    /// The chunks, each of one of the `sizes`. The last chunk is
    /// filled up with its last value, which finds no row twice.
    package static func of(_ values: [JSON]) -> [[JSON]] {
        stride(from: 0, to: values.count, by: largest).map { start in
            let chunk = values[start..<min(start + largest, values.count)]
            let size = sizes.first { $0 >= chunk.count } ?? largest
            return chunk + Array(repeating: chunk.last ?? .null, count: size - chunk.count)
        }
    }
}
