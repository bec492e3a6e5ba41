import SyncProtocol
package import SyncSchema

/// Live rows that nobody sees: they are for single users, none of whom is a member. That is no fault, but their data is
/// there, and no client tells of it.
package enum UnseenRows {
    /// The query that counts them; nil for a collection of which somebody always sees all rows.
    package static func count(in collection: Collection) -> String? {
        guard let viewers = viewers(of: collection) else { return nil }
        return """
            SELECT count(*) FROM "\(collection.name)" t
            JOIN tidemark_projects p ON p.id = t.project_id AND p.is_deleted = 0
            WHERE t.is_deleted = 0 AND NOT EXISTS (
              SELECT 1 FROM \(viewers) AND a.project_id = t.project_id AND a.role IS NOT NULL)
            """
    }

    /// What a check says of so many rows; nil if there are none.
    package static func note(_ count: Int, in collection: Collection) -> String? {
        guard count > 0 else { return nil }
        let rows = "Nobody sees \(counted(count, "row")) of \(collection.name)"
        return rows + ": the members that \(count == 1 ? "it is" : "they are") for have left, or none is named."
    }

    private static func viewers(of collection: Collection) -> String? {
        switch collection.visibility {
        case .everyone, .gate, .inherited: nil
        case .own(let field): "tidemark_access a WHERE a.user_id = t.\"\(field)\""
        case .listed(_, nil), .inheritedList(_, nil):
            """
            tidemark_listed s JOIN tidemark_access a ON a.user_id = s.user_id \
            WHERE s.collection = '\(collection.name)' AND s.row_id = t.id AND s.gone_seq IS NULL
            """
        // A project always has an owner.
        case .listed, .inheritedList: nil
        }
    }
}
