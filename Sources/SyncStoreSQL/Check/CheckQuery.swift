package import SyncSchema
package import SyncStore

/// A query that returns faults: each row has a project's id and a subject.
package struct CheckQuery: Sendable {
    package let code: CheckCode
    package let place: String
    package let sql: String
    /// The number of columns.
    package let columns: Int32
    /// Whether a row is a fault, where SQL can't say. Nil if every row is one.
    private let judge: (@Sendable (any SQLRow) -> Bool)?

    /// `columns` are those that only `judge` reads.
    init(
        _ code: CheckCode, in place: String, _ sql: String, columns: Int32 = 0,
        judge: (@Sendable (any SQLRow) -> Bool)? = nil
    ) {
        self.code = code
        self.place = place
        self.sql = sql
        self.columns = columns + 2
        self.judge = judge
    }

    /// What a row of the query says; nil if it is not a fault.
    package func finding(_ row: some SQLRow) -> CheckFinding? {
        guard judge?(row) != false else { return nil }
        return CheckFinding(code: code, place: place, project: row.string(0), subject: row.string(1))
    }
}

extension CheckQuery {
    /// Queries about the rows of one collection.
    package static func queries(
        of collection: Collection, _ registry: Registry, _ dialect: any SQLDialect
    ) -> [CheckQuery] {
        let table = "\"\(collection.name)\""
        var queries = [
            CheckQuery(
                .wrongStamps, in: collection.name,
                """
                SELECT t.project_id, t.id FROM \(table) t LEFT JOIN tidemark_projects p ON p.id = t.project_id
                WHERE p.id IS NULL OR NOT (1 <= created_seq AND created_seq <= content_seq AND content_seq <= sync_seq
                  AND sync_seq <= p.head AND gate_seq <= sync_seq)
                """),
            counters(of: collection),
        ]
        if let checksum = TableLayout(collection, registry: registry, dialect: dialect).checksum {
            let sql = "SELECT project_id, id FROM \(table) WHERE row_checksum IS NOT \(checksum)"
            queries.insert(CheckQuery(.damagedRow, in: collection.name, sql), at: 0)
        }
        for field in collection.fields { queries += references(of: field, collection, dialect) }
        return queries + formerOwners(of: collection) + listed(of: collection, registry, dialect)
            + gates(of: collection, registry, dialect)
    }

    /// Nobody may be both owner and former owner of a row: such a
    /// user would receive the row and also be asked to drop it.
    private static func formerOwners(of collection: Collection) -> [CheckQuery] {
        guard let field = collection.ownerField else { return [] }
        return [
            CheckQuery(
                .wrongDerivation, in: "tidemark_former_owners",
                """
                SELECT f.project_id, f.row_id FROM tidemark_former_owners f
                JOIN "\(collection.name)" t ON t.id = f.row_id
                WHERE f.collection = '\(collection.name)' AND f.project_id = t.project_id AND f.user_id = t."\(field)"
                """)
        ]
    }

    /// Finds rows whose spans don't name the users that the rows themselves do, or those that they inherit from.
    private static func listed(
        of collection: Collection, _ registry: Registry, _ dialect: any SQLDialect
    ) -> [CheckQuery] {
        guard let truth = ListedQuery.truth(of: collection, registry, dialect) else { return [] }
        let kept = ListedQuery.kept(of: collection)
        let subject = "row_id || ' for ' || CAST(user_id AS TEXT)"
        return [
            CheckQuery(
                .wrongDerivation, in: "tidemark_listed",
                """
                SELECT project_id, \(subject) FROM (SELECT * FROM (\(truth)) AS a EXCEPT \(kept)) AS missing
                UNION ALL
                SELECT project_id, \(subject) FROM (\(kept) EXCEPT SELECT * FROM (\(truth)) AS b) AS extra
                """)
        ]
    }

    private static func references(
        of field: Field, _ collection: Collection, _ dialect: any SQLDialect
    ) -> [CheckQuery] {
        let table = "\"\(collection.name)\""
        let column = "\"\(field.name)\""
        let subject = "t.id || '.\(field.name)'"
        guard let reference = field.reference else {
            guard let isUnsound = DeadQuery(dialect: dialect).unmet(field, by: .anyRows) else { return [] }
            let dangling = CheckQuery(
                .danglingReference, in: collection.name,
                "SELECT t.project_id, \(subject) FROM \(table) t WHERE \(isUnsound)")
            return [dangling] + (field.isListOfIDs ? [entries(of: field, collection, dialect)] : [])
        }
        let target = "\"\(reference.collection)\""
        let isUnsound = "(r.id IS NULL OR r.project_id <> t.project_id OR (t.is_deleted = 0 AND r.is_deleted = 1))"
        guard reference.isList else {
            return [
                CheckQuery(
                    .danglingReference, in: collection.name,
                    """
                    SELECT t.project_id, \(subject) FROM \(table) t LEFT JOIN \(target) r ON r.id = t.\(column)
                    WHERE t.\(column) IS NOT NULL AND \(isUnsound)
                    """)
            ]
        }
        let elements = dialect.elements(of: "t.\(column)")
        return [
            CheckQuery(
                .danglingReference, in: collection.name,
                """
                SELECT t.project_id, \(subject) FROM \(table) t CROSS JOIN \(elements)
                LEFT JOIN \(target) r ON r.id = e.value WHERE \(isUnsound)
                """),
            entries(of: field, collection, dialect),
        ]
    }

    /// Finds lists whose elements are not those in `tidemark_list_references`.
    private static func entries(of field: Field, _ collection: Collection, _ dialect: any SQLDialect) -> CheckQuery {
        let column = "t.\"\(field.name)\""
        let entries =
            "tidemark_list_references l WHERE l.collection = '\(collection.name)' AND l.field = '\(field.name)'"
        return CheckQuery(
            .wrongDerivation, in: "tidemark_list_references",
            """
            SELECT t.project_id, t.id || '.\(field.name)' FROM "\(collection.name)" t
            WHERE \(dialect.countOfElements(of: column)) <> (SELECT count(*) FROM \(entries) AND l.row_id = t.id)
              OR EXISTS (SELECT 1 FROM \(dialect.elements(of: column)) WHERE NOT EXISTS (
                SELECT 1 FROM \(entries) AND l.row_id = t.id AND l.target = CAST(e.value AS TEXT)))
            """)
    }

    /// Finds rows that are hidden from members who should see them, or the reverse.
    private static func gates(
        of collection: Collection, _ registry: Registry, _ dialect: any SQLDialect
    ) -> [CheckQuery] {
        let table = "\"\(collection.name)\""
        let start = "SELECT t.project_id, t.id FROM"
        let sql: String
        switch collection.visibility {
        case .everyone, .own, .listed, .inheritedList: sql = "\(start) \(table) t WHERE is_gated = 1"
        case .gate(let field, let value, _):
            let isHidden = dialect.isSame("\"\(field)\"", SQLLiteral.text(value))
            sql = "\(start) \(table) t WHERE is_deleted = 0 AND is_gated <> CASE WHEN \(isHidden) THEN 1 ELSE 0 END"
        case .inherited(let field):
            guard let parent = collection.field(field)?.reference?.collection else { return [] }
            sql = InheritedGate.wrong(in: collection, by: field, from: parent)
        }
        return [CheckQuery(.wrongGate, in: collection.name, sql)]
    }

    private static func counters(of collection: Collection) -> CheckQuery {
        let counted = """
            SELECT project_id, SUM(1 - is_deleted) AS live, SUM(is_deleted) AS tombstones
            FROM "\(collection.name)" GROUP BY project_id
            """
        let kept = """
            SELECT project_id, live, tombstones FROM tidemark_row_counts
            WHERE collection = '\(collection.name)' AND live + tombstones > 0
            """
        return CheckQuery(
            .wrongDerivation, in: "tidemark_row_counts",
            """
            WITH counted AS (\(counted))
            SELECT project_id, '\(collection.name)' FROM (SELECT * FROM counted EXCEPT \(kept)) AS a
            UNION SELECT project_id, '\(collection.name)' FROM (\(kept) EXCEPT SELECT * FROM counted) AS b
            """)
    }
}
