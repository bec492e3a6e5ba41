import SyncSchema

/// Queries for rows whose references break the schema's rules.
struct DeadQuery {
    let dialect: any SQLDialect

    /// What a reference may refer to.
    enum Referred {
        case liveRows, anyRows
    }

    /// The condition, on a row `t`, that the field refers to no such row of the row's project, or to no user. For a
    /// list: that this is so for one of its ids. Nil for a field that is no reference.
    func unmet(_ field: Field, by referred: Referred) -> String? {
        let column = "t.\"\(field.name)\""
        guard let reference = field.reference else {
            return field.user.map { _ in "\(column) IS NOT NULL AND \(column) NOT IN (SELECT id FROM tidemark_users)" }
        }
        let isLive = referred == .liveRows ? " AND r.is_deleted = 0" : ""
        let isThere =
            "SELECT 1 FROM \"\(reference.collection)\" r WHERE r.project_id = t.project_id\(isLive) AND r.id ="
        if reference.isList {
            return "EXISTS (SELECT 1 FROM \(dialect.elements(of: column)) WHERE NOT EXISTS (\(isThere) e.value))"
        }
        return "\(column) IS NOT NULL AND NOT EXISTS (\(isThere) \(column))"
    }

    /// Selects the project and id of live rows that refer to nothing live in their project or to no user, or whose list
    /// has an id twice. Nil for a field that is no reference.
    func live(of field: Field, _ collection: Collection) -> String? {
        guard var condition = unmet(field, by: .liveRows) else { return nil }
        if field.reference?.isList == true {
            let elements = dialect.elements(of: "t.\"\(field.name)\"")
            condition = """
                (\(condition) OR (SELECT count(*) > count(DISTINCT e.value) FROM \(elements)))
                """
        }
        return "SELECT t.project_id, t.id FROM \"\(collection.name)\" t WHERE t.is_deleted = 0 AND \(condition)"
    }

    /// Selects the project and id of live rows that refer to a user who is no longer a member.
    func leavers(in field: Field, _ collection: Collection, _ registry: Registry) -> String {
        """
        SELECT t.project_id, t.id FROM "\(collection.name)" t WHERE t.is_deleted = 0 AND t."\(field.name)" IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM "\(registry.memberships.name)" m
            WHERE m.project_id = t.project_id AND m.is_deleted = 0 AND m.user = t."\(field.name)")
        """
    }
}
