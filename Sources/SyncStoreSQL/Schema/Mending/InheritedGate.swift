package import SyncSchema

/// The gate that rows inherit from the row that they refer to.
package enum InheritedGate {
    /// Selects the project and id of rows that are hidden from members who should see them, or the reverse.
    package static func wrong(in collection: Collection, by field: String, from parent: String) -> String {
        """
        SELECT t.project_id, t.id FROM "\(collection.name)" t LEFT JOIN "\(parent)" r ON r.id = t."\(field)"
        WHERE t.is_deleted = 0 AND t.is_gated <> COALESCE(r.is_gated, 0)
        """
    }
}
