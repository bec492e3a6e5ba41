import SyncProtocol
import SyncSchema

/// The table with the elements of list references, `tidemark_list_references`.
extension SQLTransaction {
    /// Fills the table again from the collection's rows.
    func rebuildListReferences(of collection: Collection) throws {
        try forgetListReferences(of: collection.name)
        for field in collection.fields where field.reference?.isList ?? false {
            let elements = layout(collection).dialect.elements(of: "t.\"\(field.name)\"")
            try run(
                """
                INSERT INTO tidemark_list_references (collection, field, target, row_id)
                SELECT '\(collection.name)', '\(field.name)', e.value, t.id FROM "\(collection.name)" t, \(elements)
                WHERE true ON CONFLICT DO NOTHING
                """, [])
        }
    }

    /// Deletes the collection's elements.
    func forgetListReferences(of collection: String) throws {
        try run("DELETE FROM tidemark_list_references WHERE collection = ?1", [.string(collection)])
    }
}
