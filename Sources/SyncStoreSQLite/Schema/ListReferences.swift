import GRDB
import SyncSchema

/// The table with the elements of list references, `tidemark_list_references`.
enum ListReferences {
    /// Fills the table again from the collection's rows.
    static func rebuild(of collection: Collection, _ db: Database) throws {
        try forget(collection.name, db)
        for field in collection.fields where field.reference?.isList ?? false {
            try db.execute(
                sql: """
                    INSERT OR IGNORE INTO tidemark_list_references (collection, field, target, row_id)
                    SELECT '\(collection.name)', '\(field.name)', e.value, t.id
                    FROM "\(collection.name)" t, json_each(t."\(field.name)") e
                    """)
        }
    }

    /// Deletes the collection's elements.
    static func forget(_ collection: String, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM tidemark_list_references WHERE collection = ?1", arguments: [collection])
    }
}
