import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema

extension SQLiteTransaction {
    func record(_ key: RowKey) throws -> StoredRow? {
        let collection = store.registry[key.collection]!
        return try row(layout(collection).selectByID, [key.id]).map { StoredRow(row: $0, of: collection) }
    }

    func records(in collection: Collection, project: String) throws -> [StoredRow] {
        let sql = layout(collection).select + "project_id = ?1 AND is_deleted = 0"
        return try rows(sql, [project]).map { StoredRow(row: $0, of: collection) }
    }

    func records(in collection: Collection, project: String, where field: Field, holds value: JSON) throws
        -> [StoredRow]
    {
        if field.reference?.isList ?? false {
            return try records(in: collection, project: project, whoseList: field, holds: value)
        }
        let arguments = [value.databaseValue] + (field.user == nil ? [] : [project.databaseValue])
        return try rows(layout(collection).selectReferrers(by: field), StatementArguments(arguments))
            .map { StoredRow(row: $0, of: collection) }.filter { $0.project == project }
    }

    private func records(
        in collection: Collection, project: String, whoseList field: Field, holds value: JSON
    ) throws -> [StoredRow] {
        let sql =
            layout(collection).select + """
                project_id = ?1 AND is_deleted = 0 AND id IN (
                  SELECT row_id FROM tidemark_list_references WHERE collection = ?2 AND field = ?3 AND target = ?4)
                """
        return try rows(sql, [project, collection.name, field.name, value.databaseValue])
            .map { StoredRow(row: $0, of: collection) }
    }

    func records(
        in collection: Collection, project: String, with key: Collection.UniqueKey, values: [JSON]
    ) throws -> [StoredRow] {
        let terms = key.fields.enumerated().map { "\"\($1)\" = ?\($0 + 2)" }
        let sql =
            layout(collection).select
            + ([TableLayout.condition(of: key), "project_id = ?1"] + terms).joined(separator: " AND ")
        return try rows(sql, StatementArguments([project.databaseValue] + values.map(\.databaseValue)))
            .map { StoredRow(row: $0, of: collection) }
    }

    func list(_ collection: Collection, project: String, rows: SegmentScan.Rows, after: String, limit: Int) throws
        -> [StoredRow]
    {
        var arguments = [project.databaseValue, after.databaseValue, limit.databaseValue]
        var terms = ["project_id = ?1", "is_deleted = 0", "id > ?2"]
        switch rows {
        case .all: break
        case .own(let field, let user):
            terms.append("\"\(field)\" = ?4")
            arguments.append(user.databaseValue)
        case .ungated, .hidden: terms.append("is_gated = 0")
        }
        let sql = layout(collection).select + terms.joined(separator: " AND ") + " ORDER BY id LIMIT ?3"
        return try self.rows(sql, StatementArguments(arguments)).map { StoredRow(row: $0, of: collection) }
    }

    func bury(_ collection: Collection, project: String, at seq: SyncSeq) throws -> Int {
        try execute(
            """
            UPDATE "\(collection.name)"
            SET is_deleted = 1, server_version = server_version + 1, sync_seq = ?2, content_seq = ?2
            WHERE project_id = ?1 AND is_deleted = 0
            """, [project, seq.rawValue])
        return db.changesCount
    }

    func insert(_ records: [StoredRow], into collection: Collection) throws {
        try write(records, of: collection, layout(collection).insert)
        for record in records { try insertListReferences(record, collection) }
    }

    func update(_ records: [StoredRow], in collection: Collection) throws {
        try write(records, of: collection, layout(collection).update)
        guard collection.fields.contains(where: { $0.reference?.isList ?? false }) else { return }
        for record in records {
            try execute(
                "DELETE FROM tidemark_list_references WHERE collection = ?1 AND row_id = ?2",
                [collection.name, record.id])
            try insertListReferences(record, collection)
        }
    }

    func vacate(_ ids: [String], in collection: Collection) throws {
        for id in ids { try execute("UPDATE \"\(collection.name)\" SET is_deleted = 1 WHERE id = ?1", [id]) }
    }

    private func write(_ records: [StoredRow], of collection: Collection, _ sql: String) throws {
        guard !records.isEmpty else { return }
        let statement = try db.cachedStatement(sql: sql)
        for record in records {
            statement.setUncheckedArguments(StatementArguments(record.columns))
            try statement.execute()
        }
    }

    private func insertListReferences(_ record: StoredRow, _ collection: Collection) throws {
        for (field, value) in zip(collection.fields, record.values) where field.reference?.isList ?? false {
            for element in value.array ?? [] {
                try execute(
                    "INSERT INTO tidemark_list_references (collection, field, target, row_id) VALUES (?1, ?2, ?3, ?4)",
                    [collection.name, field.name, element.databaseValue, record.id])
            }
        }
    }
}
