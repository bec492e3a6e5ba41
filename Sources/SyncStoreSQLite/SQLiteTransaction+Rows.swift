import GRDB
import SyncEngine
import SyncProtocol
import SyncSchema

extension SQLiteTransaction {
    // MARK: Questions

    func record(_ key: RowKey) throws -> StoredRow? {
        let collection = store.registry[key.collection]!
        return try row(layout(collection).selectByID, [key.id]).map { StoredRow(row: $0, of: collection) }
    }

    func records(in collection: Collection, project: String) throws -> [StoredRow] {
        let sql = layout(collection).select + "project_id = ?1 AND is_deleted = 0"
        return try rows(sql, [project]).map { StoredRow(row: $0, of: collection) }
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

    // MARK: Writes

    func insert(_ records: [StoredRow], into collection: Collection) throws {
        try write(records.map(\.columns), layout(collection).insert)
        for record in records { try insertListReferences(record, collection) }
    }

    func update(_ records: [StoredRow], in collection: Collection) throws {
        try write(records.map(\.columns), layout(collection).update)
        guard collection.fields.contains(where: { $0.reference?.isList ?? false }) else { return }
        for record in records {
            try execute(
                "DELETE FROM tidemark_list_references WHERE collection = ?1 AND row_id = ?2",
                [collection.name, record.id])
            try insertListReferences(record, collection)
        }
    }

    func restamp(_ records: [StoredRow], in collection: Collection) throws {
        try write(records.map(\.stamps), layout(collection).restamp)
    }

    func vacate(_ ids: [String], in collection: Collection) throws {
        for id in ids { try execute("UPDATE \"\(collection.name)\" SET is_deleted = 1 WHERE id = ?1", [id]) }
    }

    /// Runs the statement once for each list of values.
    private func write(_ rows: [[JSON]], _ sql: String) throws {
        guard !rows.isEmpty else { return }
        let statement = RawRows(try db.cachedStatement(sql: sql).sqliteStatement)
        defer { statement.reset() }
        for row in rows {
            statement.reset()
            for (place, value) in zip(Int32(1)..., row) { statement.bind(value, at: place) }
            while try statement.step(db) {}
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
