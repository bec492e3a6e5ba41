import GRDB
import SyncSchema

/// Makes the elements of a collection's list references anew from its rows.
enum ListReferences {
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

    static func forget(_ collection: String, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM tidemark_list_references WHERE collection = ?1", arguments: [collection])
    }
}
