import SyncProtocol
import SyncSchema
import SyncStore

/// The SQL of collections in which lists of users decide who sees a row. The spans are in `tidemark_listed`, here `s`;
/// the rows are `t`, or `r0` in scans of parts.
enum ListedQuery {
    /// The rows that are or were listed for user ?5: `StoredRow.listed`. ?1 … ?4 are as in `PageQuery`.
    static func listed(_ layout: TableLayout, isLiveOnly: Bool) -> String {
        let live = isLiveOnly ? " AND s.gone_seq IS NULL AND t.is_deleted = 0" : ""
        return """
            SELECT \(columns(of: layout, row: "t").joined(separator: ", ")) FROM tidemark_listed s CROSS JOIN \
            \(layout.quotedName) t WHERE s.project_id = ?1 AND s.collection = '\(layout.collection.name)' \
            AND s.user_id = ?5 AND t.id = s.row_id\(live) AND (s.sync_seq, s.row_id) > (?2, ?3) AND s.sync_seq <= ?4 \
            ORDER BY s.sync_seq, s.row_id
            """
    }

    /// All rows beside the lists of user ?5: `StoredRow.beside`. ?6 is the watermark, for `unlisted` only.
    static func beside(_ layout: TableLayout, _ which: SegmentScan.Rows.Beside) -> String {
        let isHeld = "s.came_seq <= ?4 AND (s.gone_seq IS NULL OR s.gone_seq > ?4)"
        let isLeftOut =
            switch which {
            case .all: "1 = 0"
            case .dead: "t.sync_seq > ?4"
            case .unlisted: "s.row_id IS NOT NULL AND (\(isHeld) OR s.sync_seq > ?6 AND s.sync_seq <= ?4)"
            }
        let number = """
            CASE WHEN \(isLeftOut) THEN CAST(0 AS BIGINT) WHEN t.is_deleted = 1 THEN t.sync_seq \
            ELSE CAST(?4 AS BIGINT) END
            """
        let columns = SystemColumn.allCases.map { column -> String in
            let value =
                switch column {
                case .seq: number
                case .isGated: "CASE WHEN s.row_id IS NOT NULL AND s.gone_seq IS NULL THEN 0 ELSE 1 END"
                case .gateSeq: "t.created_seq"
                case .gateChanges: changes
                default: "t.\(column.name)"
                }
            return "\(value) AS \(column.name)"
        }
        let fields = layout.collection.fields.map { "t.\"\($0.name)\"" }
        return (which == .dead ? ["1"] : ["0", "1"]).map { isDeleted in
            """
            SELECT \((columns + fields).joined(separator: ", ")) FROM \(layout.quotedName) t \
            LEFT JOIN tidemark_listed s ON s.collection = '\(layout.collection.name)' AND s.row_id = t.id \
            AND s.user_id = ?5 \
            WHERE t.project_id = ?1 AND t.is_deleted = \(isDeleted) AND (t.created_seq, t.id) > (?2, ?3) \
            AND t.created_seq <= ?4
            """
        }.joined(separator: " UNION ALL ") + " ORDER BY created_seq, id"
    }

    /// All columns of a row as the user meets it.
    static func columns(of layout: TableLayout, row: String) -> [String] {
        let system = SystemColumn.allCases.map { column in
            switch column {
            case .isDeleted: "CASE WHEN s.gone_seq IS NULL THEN \(row).is_deleted ELSE 1 END"
            case .seq: "s.sync_seq"
            case .isGated: "CASE WHEN s.gone_seq IS NULL THEN 0 ELSE 1 END"
            case .gateSeq: "\(row).created_seq"
            case .contentSeq:
                """
                CASE WHEN \(row).is_deleted = 1 THEN \(layout.dialect.greatest("\(row).content_seq", "s.sync_seq")) \
                WHEN s.gone_seq IS NULL THEN \(row).content_seq ELSE CAST(\(SyncSeq.maximum) AS BIGINT) END
                """
            case .gateChanges: changes
            default: "\(row).\(column.name)"
            }
        }
        return system + layout.collection.fields.map { "\(row).\"\($0.name)\"" }
    }

    /// `ListedSpan.end`.
    private static let end = "CASE WHEN s.sync_seq > s.came_seq THEN s.sync_seq ELSE s.came_seq + 1 END"

    /// The commits that opened and closed the gate: null for a row that never was listed for the user.
    private static let changes = """
        CASE WHEN s.gone_seq IS NULL THEN CAST(s.came_seq AS TEXT) \
        ELSE CAST(s.came_seq AS TEXT) || ' ' || CAST(\(end) AS TEXT) END
        """

    /// The condition that a row of the project is listed for a user now. The project and the user are terms.
    static func isListed(in collection: Collection, of project: String, for user: String) -> String {
        """
        id IN (SELECT l.row_id FROM tidemark_listed l WHERE l.project_id = \(project) \
        AND l.collection = '\(collection.name)' AND l.user_id = \(user) AND l.gone_seq IS NULL)
        """
    }

    /// Selects the project, the row and the user of each live row and each user that it, or the row that it inherits
    /// from, names. Nil for a collection without lists.
    static func truth(of collection: Collection, _ registry: Registry, _ dialect: any SQLDialect) -> String? {
        var tables = ["\"\(collection.name)\" t0"]
        var top = collection
        while let name = top.visibility.parent,
            let parent = top.field(name)?.reference.flatMap({ registry[$0.collection] })
        {
            let level = tables.count
            tables.append("JOIN \"\(parent.name)\" t\(level) ON t\(level).id = t\(level - 1).\"\(name)\"")
            top = parent
        }
        guard case .listed(let fields, _) = top.visibility else { return nil }
        return fields.map { name in
            let column = "t\(tables.count - 1).\"\(name)\""
            let isList = top.field(named: name).isListOfIDs
            let user = isList ? "CAST(e.value AS BIGINT)" : column
            let elements = isList ? " CROSS JOIN \(dialect.elements(of: column))" : ""
            return """
                SELECT t0.project_id AS project_id, t0.id AS row_id, \(user) AS user_id \
                FROM \(tables.joined(separator: " "))\(elements) WHERE t0.is_deleted = 0 AND \(column) IS NOT NULL
                """
        }.joined(separator: " UNION ")
    }

    /// Selects the same as the spans say.
    static func kept(of collection: Collection) -> String {
        """
        SELECT s.project_id AS project_id, s.row_id AS row_id, s.user_id AS user_id FROM tidemark_listed s \
        JOIN "\(collection.name)" t ON t.id = s.row_id \
        WHERE s.collection = '\(collection.name)' AND s.gone_seq IS NULL AND t.is_deleted = 0
        """
    }
}
