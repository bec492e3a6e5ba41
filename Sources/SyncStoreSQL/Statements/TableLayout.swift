package import SyncProtocol
package import SyncSchema
import SyncStore
package import SyncValues

/// The table of a collection: its columns in order, and the SQL for them, made once.
package final class TableLayout: Sendable {
    package let collection: Collection
    let dialect: any SQLDialect
    /// All columns in order, as written in SQL: `SystemColumn`, then the fields.
    package let columns: [String]

    /// The table's name, as written in SQL.
    var quotedName: String { "\"\(collection.name)\"" }

    /// The version of the system columns, the indexes and the data derived
    /// from rows. A file with another version goes through `SchemaMigration`.
    package static let version = "10"

    /// Inserts a row. The parameters are the values of `columns`.
    package let insert: String
    /// Replaces the row ?1. The parameters are the values of `columns`.
    package let update: String
    /// Replaces `SystemColumn.stamps` of the row ?1. The stamps are ?2 and the following.
    package let restamp: String
    /// Turns the live rows of project ?1 into tombstones of commit ?2.
    package let tombstoneAll: String
    /// The value that the column `row_checksum` must have, as an SQL expression. Nil if the dialect has no checksums.
    let checksum: String?
    /// Selects all columns of the row ?1.
    package let selectByID: String
    /// A `SELECT` of all columns, up to and including `WHERE`.
    package let select: String
    package let purge: PurgeQuery

    package init(_ collection: Collection, registry: Registry, dialect: any SQLDialect) {
        self.collection = collection
        self.dialect = dialect
        purge = PurgeQuery(collection, registry)
        let columns = SystemColumn.allCases.map(\.name) + collection.fields.map { "\"\($0.name)\"" }
        self.columns = columns
        let places = (1...columns.count).map { "?\($0)" }
        let list = columns.joined(separator: ", ")
        select = "SELECT \(list) FROM \"\(collection.name)\" WHERE "
        selectByID = select + "id = ?1"
        checksum = dialect.rowChecksum(of: columns)
        let bound = dialect.rowChecksum(of: places)
        let (names, values) = bound.map { (columns + ["row_checksum"], places + [$0]) } ?? (columns, places)
        insert = """
            INSERT INTO "\(collection.name)" (\(names.joined(separator: ", "))) \
            VALUES (\(values.joined(separator: ", ")))
            """
        let all = zip(columns, places).dropFirst().map { (column: $0, value: $1) }
        update = TableLayout.update(collection, all, checksum: bound) + " WHERE id = ?1"
        let stamps = zip(SystemColumn.stamps, 2...).map { (column: $0.name, value: "?\($1)") }
        restamp = TableLayout.update(collection, columns: columns, to: stamps, dialect: dialect) + " WHERE id = ?1"
        let death = [
            ("server_version", "server_version + 1"), ("is_deleted", "1"), ("sync_seq", "?2"), ("content_seq", "?2"),
        ]
        tombstoneAll =
            TableLayout.update(collection, columns: columns, to: death, dialect: dialect)
            + " WHERE project_id = ?1 AND is_deleted = 0"
    }

    /// An `UPDATE` of some columns and of the checksum.
    private static func update(
        _ collection: Collection, columns: [String], to values: [(column: String, value: String)],
        dialect: any SQLDialect
    ) -> String {
        let changed = Dictionary(uniqueKeysWithValues: values.map { ($0.column, $0.value) })
        return update(collection, values, checksum: dialect.rowChecksum(of: columns.map { changed[$0] ?? $0 }))
    }

    private static func update(
        _ collection: Collection, _ values: [(column: String, value: String)], checksum: String?
    ) -> String {
        let all = values + (checksum.map { [("row_checksum", $0)] } ?? [])
        let assignments = all.map { "\($0.column) = \($0.value)" }
        return "UPDATE \"\(collection.name)\" SET \(assignments.joined(separator: ", "))"
    }

    /// Selects the live rows whose `field` is one of ?1 … ?n, or whose list `field` contains one of them; n is
    /// `values`. For a field that refers to users, the project is ?n+1.
    ///
    /// References to rows never leave their project. Naming the
    /// project for them would lead the planner to the wrong index.
    package func selectReferrers(by field: Field, values: Int) -> String {
        let places = (1...values).map { "?\($0)" }.joined(separator: ", ")
        let ofProject = field.user == nil ? "" : " AND project_id = ?\(values + 1)"
        if field.isListOfIDs {
            return select + """
                is_deleted = 0\(ofProject) AND id IN (
                  SELECT row_id FROM tidemark_list_references
                  WHERE collection = '\(collection.name)' AND field = '\(field.name)' AND target IN (\(places)))
                """
        }
        return select + "\"\(field.name)\" IN (\(places)) AND is_deleted = 0" + ofProject
    }

    // MARK: DDL

    /// `CREATE TABLE`. References are checked at the commit, because rows of a batch may refer to later ones.
    package var createTable: String { createTable() }

    /// `CREATE TABLE`, also under another name. `kept` has the definitions of columns of removed fields, which come
    /// last. Without references, the table can be made before those that it refers to. See `addReferences`.
    package func createTable(named name: String? = nil, kept: [String] = [], isReferring: Bool = true) -> String {
        let system = SystemColumn.allCases.map { $0.definition(dialect) }
        let sum = checksum == nil ? [] : ["row_checksum \(dialect.integer)"]
        let columns = system + sum + collection.fields.map { definition(of: $0, isReferring: isReferring) } + kept
        return """
            CREATE TABLE "\(name ?? collection.name)" (
            \(columns.map { "  \($0)" }.joined(separator: ",\n"))
            ) \(dialect.tableOptions)
            """
    }

    /// The columns that tables of older versions lack, with their types.
    package var laterColumns: [(name: String, type: String)] {
        SystemColumn.later.map { ($0.name, $0.type(dialect)) }
            + (checksum == nil ? [] : [("row_checksum", dialect.integer)])
    }

    /// The definition of the field's column in `CREATE TABLE`, with its constraints.
    package func definition(of field: Field, isReferring: Bool = true) -> String {
        var text = "\"\(field.name)\" \(sqlType(of: field))"
        if !field.value.isNullable { text += " NOT NULL" }
        if field.value.kind == .boolean { text += " CHECK (\"\(field.name)\" IN (0, 1))" }
        if isReferring, let reference = TableLayout.references(field) { text += " \(reference)" }
        return text
    }

    /// Nil if the column refers to no row.
    private static func references(_ field: Field) -> String? {
        guard let reference = field.reference, !reference.isList else { return nil }
        return "REFERENCES \"\(reference.collection)\" (id) DEFERRABLE INITIALLY DEFERRED"
    }

    /// The statements that add references to a table, by column.
    package var addReferences: [(column: String, statement: String)] {
        let own = collection.fields.compactMap { field in TableLayout.references(field).map { (field.name, $0) } }
        return ([("project_id", SystemColumn.projectReference)] + own).map { column, reference in
            (column, "ALTER TABLE \"\(collection.name)\" ADD FOREIGN KEY (\"\(column)\") \(reference)")
        }
    }

    package func sqlType(of field: Field) -> String {
        switch field.value.kind {
        case .string, .array, .object: dialect.text
        case .integer: dialect.integer
        case .boolean: dialect.boolean
        case .number: dialect.real
        }
    }

    /// The `CREATE INDEX` statements by the name of the index.
    package var indexes: [String: String] {
        var indexes = pageIndexes.merging(orderedByMove) { $1 }.merging(orderedByValue) { $1 }
        // This index includes tombstones. SQLite looks for children here when it checks a deferred foreign key. A
        // condition on `is_deleted` would make it read the whole table instead.
        // https://sqlite.org/foreignkeys.html#fk_indexes
        for field in collection.fields where field.reference.map({ !$0.isList }) ?? false {
            indexes["\(collection.name)_ref_\(field.name)"] = "(\"\(field.name)\")" + TableLayout.condition(on: field)
        }
        for field in collection.fields where field.user != nil && !field.isListOfIDs && !servesUsers(field) {
            indexes["\(collection.name)_user_\(field.name)"] =
                "(project_id, \"\(field.name)\")" + TableLayout.condition(on: field, "is_deleted = 0")
        }
        return uniqueIndexes.merging(statements(indexes)) { $1 }
    }

    /// Those of `indexes` that databases lack whose rows don't note what moves them between parts.
    package var movedIndexes: [String: String] { statements(orderedByMove) }

    private func statements(_ indexes: [String: String]) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: indexes.map {
                ($0, "CREATE INDEX \"\($0)\" ON \"\(collection.name)\" \($1)")
            })
    }

    /// For drains of a part from 0: one for each field that a filter can name, in the order in which such a drain goes.
    /// In the order of creation a new row goes to the end of its value's range. In the order of ids it would touch a
    /// page of its own. Elements of lists are in `tidemark_list_references`.
    private var orderedByValue: [String: String] {
        let owner = collection.ownerField.map { "\"\($0)\", " } ?? ""
        let fields = collection.fields.filter { $0.isFilterable && !$0.isListOfIDs }
        return Dictionary(
            uniqueKeysWithValues: fields.map {
                let order = "(project_id, \(owner)\"\($0.name)\", created_seq, id)"
                return ("\(collection.name)_by_\($0.name)", order + " WHERE is_deleted = 0")
            })
    }

    /// Whether an index for parts also finds the rows of a user.
    private func servesUsers(_ field: Field) -> Bool { field.isFilterable && collection.ownerField == nil }

    /// For what moved in or out of parts. Most rows never do.
    private var orderedByMove: [String: String] {
        let owner = collection.ownerField.map { "\"\($0)\", " } ?? ""
        let order = "filter_seq, id) WHERE filter_seq IS NOT NULL"
        var indexes = ["\(collection.name)_moved": "(project_id, \(owner)\(order)"]
        if collection.isGated { indexes["\(collection.name)_moved_ungated"] = "(project_id, is_gated, \(order)" }
        return indexes
    }

    /// The condition of a partial index. For a column that can't be
    /// null, `IS NOT NULL` would keep SQLite from using the index.
    private static func condition(on field: Field, _ terms: String...) -> String {
        let terms = terms + (field.value.isNullable ? ["\"\(field.name)\" IS NOT NULL"] : [])
        return terms.isEmpty ? "" : " WHERE " + terms.joined(separator: " AND ")
    }

    /// One index for each order in which pages are served.
    private var pageIndexes: [String: String] {
        var indexes = ["\(collection.name)_sync": "(project_id, sync_seq, id)"]
        // For drains without tombstones. Own-only collections need none, because few of a user's own rows are
        // tombstones. If two indexes serve a query equally well, SQLite takes the one made last. Indexes are made in
        // the order of their names, so this one wins.
        let live = "(project_id, sync_seq, id) WHERE is_deleted = 0"
        var owner = ""
        switch collection.visibility {
        case .everyone, .listed, .inheritedList:
            indexes["\(collection.name)_sync_live"] = live
        case .own(let field):
            owner = "\"\(field)\", "
            indexes["\(collection.name)_own"] = "(project_id, \"\(field)\", sync_seq, id)"
        case .gate, .inherited:
            indexes["\(collection.name)_sync_live"] = live
            indexes["\(collection.name)_ungated"] = "(project_id, sync_seq, id) WHERE is_gated = 0"
            indexes["\(collection.name)_hidden"] = "(project_id, gate_seq, id) WHERE is_gated = 1"
        }
        indexes["\(collection.name)_dead"] = "(project_id, sync_seq, id) WHERE is_deleted = 1"
        // The gate is a column here, not a condition. With two partial indexes of one condition each, SQLite could take
        // either of them for a query that has both conditions.
        if collection.isGated {
            indexes["\(collection.name)_ungated_live"] = "(project_id, is_gated, sync_seq, id) WHERE is_deleted = 0"
        }
        // For lists: live rows in the order of their creation. In the order of ids each new row would touch a page of
        // its own. An upload of 500 rows then took 1.5 times as long.
        let creation = "(project_id, \(owner)created_seq, id)"
        indexes["\(collection.name)_created"] = creation + " WHERE is_deleted = 0"
        // For the ids of a project that a user has left. In that order live rows and tombstones are mixed.
        indexes["\(collection.name)_created_dead"] = creation + " WHERE is_deleted = 1"
        return indexes
    }

    /// The unique keys that the schema file does not name, with the names of their indexes.
    package var impliedKeys: [(index: String, key: Collection.UniqueKey)] {
        zip(uniqueKeyNames, collection.uniqueKeys).filter(\.1.isImplied).map { ($0, $1) }
    }

    /// The names of the indexes of `collection.uniqueKeys`, in the same order.
    private var uniqueKeyNames: [String] {
        collection.uniqueKeys.reduce(into: []) { names, key in
            // Keys over the same fields differ in their condition.
            var name = "\(collection.name)_unique_\(key.fields.joined(separator: "_"))"
            while names.contains(name) { name += "_more" }
            names.append(name)
        }
    }

    private var uniqueIndexes: [String: String] {
        var indexes: [String: String] = [:]
        for (name, key) in zip(uniqueKeyNames, collection.uniqueKeys) {
            let columns = (key.fields.map { "\"\($0)\"" } + ["project_id"]).joined(separator: ", ")
            let condition = TableLayout.condition(of: key)
            indexes[name] =
                "CREATE UNIQUE INDEX \"\(name)\" ON \"\(collection.name)\" (\(columns)) WHERE \(condition)"
        }
        return indexes
    }

    /// The SQL condition for the rows among which a key is unique. The key's partial index uses the same text.
    package static func condition(of key: Collection.UniqueKey) -> String {
        let terms = key.condition.sorted { $0.key < $1.key }.map { "\"\($0.key)\" = \(SQLLiteral.text($0.value))" }
        return (["is_deleted = 0"] + terms).joined(separator: " AND ")
    }
}

/// The names of all collections' tables and indexes. They share one namespace in a database.
package enum TableNames {
    /// Throws a `SchemaError` if a table or an index of one collection has the same name as one of another. For
    /// example, `tasks_sync` is an index of `tasks` and also a valid name of a collection.
    package static func check(_ registry: Registry, _ dialect: any SQLDialect) throws(SchemaError) {
        var owners: [String: String] = [:]
        for collection in registry.collections {
            let indexes = TableLayout(collection, registry: registry, dialect: dialect).indexes.keys
            for name in [collection.name] + indexes.sorted() {
                if let longest = dialect.longestName, name.utf8.count > longest {
                    throw SchemaError(
                        file: collection.name, pointer: "/title",
                        reason: "\(name) is the name of a table or index, and has more than \(longest) bytes; "
                            + "give the collection or the field a shorter name")
                }
                guard let owner = owners.updateValue(collection.name, forKey: name) else { continue }
                throw SchemaError(
                    file: collection.name, pointer: "/title",
                    reason: "\(name) is already the name of a table or index of \(owner); rename the collection")
            }
        }
    }
}

/// The SQL of a purge of one collection.
package struct PurgeQuery: Sendable {
    /// Selects the next tombstones, by number and id. The parameters are the project, the last number and id, the
    /// greatest number, and the limit.
    package let candidates: String
    /// Removes the tombstone ?1 of project ?2 if its number is at most ?3 and nothing refers to it. Returns its number,
    /// and the ids that it referred to in its own collection.
    package let delete: String

    package init(_ collection: Collection, _ registry: Registry) {
        let table = "\"\(collection.name)\""
        candidates = """
            SELECT sync_seq, id FROM \(table) WHERE project_id = ?1 AND is_deleted = 1
            AND (sync_seq, id) > (?2, ?3) AND sync_seq <= ?4 ORDER BY sync_seq, id LIMIT ?5
            """
        let referrers = registry.referrers(of: collection.name)
        let own = referrers.filter { $0.collection == collection.name && !$0.reference.isList }
        let returned = ["sync_seq"] + own.map { "\"\($0.field.name)\"" }
        delete = """
            DELETE FROM \(table) WHERE id = ?1 AND project_id = ?2 AND is_deleted = 1 AND sync_seq <= ?3\
            \(referrers.map(PurgeQuery.isUnreferenced).joined()) RETURNING \(returned.joined(separator: ", "))
            """
    }

    private static func isUnreferenced(by referrer: Registry.Referrer) -> String {
        if referrer.reference.isList {
            return """
                 AND NOT EXISTS (SELECT 1 FROM tidemark_list_references
                WHERE collection = '\(referrer.collection)' AND field = '\(referrer.field.name)' AND target = ?1)
                """
        }
        return " AND NOT EXISTS (SELECT 1 FROM \"\(referrer.collection)\" r WHERE r.\"\(referrer.field.name)\" = ?1)"
    }
}

/// Writes constants of a schema into SQL text. A bound value there would keep a partial index from being used.
package enum SQLLiteral {
    /// Lists and objects have no literal and become `NULL`.
    package static func text(_ value: JSON) -> String {
        switch value {
        case .null, .array, .object: "NULL"
        case .bool(let flag): flag ? "1" : "0"
        case .int(let number): String(number)
        case .double(let number): number.description
        case .string(let text): "'" + text.replacing("'", with: "''") + "'"
        }
    }
}
