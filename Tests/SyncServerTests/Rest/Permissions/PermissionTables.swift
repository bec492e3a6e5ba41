/// Who may do what, written by hand from the list of collections. The schema must give the same
/// result.  `+` done, `F` 403 `forbidden`, `f` 403 `field_forbidden`, `-` 404 `not_found`, `R` 403
/// `read_only_token`. Another member made the row and owns it; a membership row is a viewer's.
enum PermissionTables {
    /// The verdict for a method (the line) and a caller (the column).
    static func verdict(_ collection: String, _ verb: RowVerb, _ who: Who) -> String? {
        switch who {
        case .anonymous: "401 unauthorized"
        case .outsider: verb.isOfItem ? "404 not_found" : "403 not_a_member"
        case .exMember: verb.isOfItem ? "404 not_found" : "403 membership_revoked"
        default: cell(collection, verb, who).map { words[$0] ?? "\(verb.success)" }
        }
    }

    private static let words: [Character: String] = [
        "F": "403 forbidden", "f": "403 field_forbidden", "-": "404 not_found", "R": "403 read_only_token",
    ]

    private static let columns: [Who] = [.viewer, .member, .scheduler, .admin, .owner, .superuser, .readOnly]

    private static func cell(_ collection: String, _ verb: RowVerb, _ who: Who) -> Character? {
        let lines = (tables[collection] ?? "").split(separator: "\n").map { $0.split(separator: " ") }
        guard let line = lines.first(where: { $0[0] == verb.rawValue }), let column = columns.firstIndex(of: who) else {
            return nil
        }
        return line[column + 1].first
    }

    static let tables: [String: String] = [
        "attachments": """
        list    + + + + + + +
        create  F + + + + + R
        read    + + + + + + +
        patch   F + + + + + R
        delete  F F F + + + R
        """,
        "calendars": """
        list    + + + + + + +
        create  F F F + + + R
        read    + + + + + + +
        patch   F F F + + + R
        delete  F F F + + + R
        """,
        "memberships": """
        list    + + + + + + +
        create  F F F + + + R
        read    + + + + + + +
        patch   F F F + + + R
        delete  F F F F + + R
        """,
        "sprints": """
        list    + + + + + + +
        create  F + + + + + R
        read    + + + + + + +
        patch   F + + + + + R
        delete  F F F + + + R
        """,
        "tasks": """
        list    + + + + + + +
        create  F + + + + + R
        read    + + + + + + +
        patch   F + + + + + R
        delete  F + + + + + R
        """,
        "dependencies": """
        list    + + + + + + +
        create  F F + + + + R
        read    + + + + + + +
        patch   F F + + + + R
        delete  F F + + + + R
        """,
        "risks": """
        list    + + + + + + +
        create  F + + + + + R
        read    + + + + + + +
        patch   F + + + + + R
        delete  F F F F + + R
        """,
        "sprint_retros": """
        list    + + + + + + +
        create  F + + + + + R
        read    + + + + + + +
        patch   F + + + + + R
        delete  F + + + + + R
        """,
        "retro_action_items": """
        list    + + + + + + +
        create  F + + + + + R
        read    + + + + + + +
        patch   F + + + + + R
        delete  F + + + + + R
        """,
        "task_suggested_assignees": """
        list    + + + + + + +
        create  F + + + + + R
        read    + + + + + + +
        patch   f f f + + + R
        delete  F F F + + + R
        """,
        "task_links": """
        list    + + + + + + +
        create  F + + + + + R
        read    + + + + + + +
        patch   F + + + + + R
        delete  F + + + + + R
        """,
        "task_recurrence_rules": """
        list    + + + + + + +
        create  F F + + + + R
        read    + + + + + + +
        patch   F F + + + + R
        delete  F F + + + + R
        """,
        "time_entries": """
        list    + + + + + + +
        create  F + + + + + R
        read    - - - - - - -
        patch   - - - - - - -
        delete  - - - - - - -
        """,
    ]
}
