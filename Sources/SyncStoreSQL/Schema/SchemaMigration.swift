package import SyncProtocol
package import SyncSchema
package import SyncStore
import SyncValues

/// Brings the tables in line with the schema files, in one transaction in which new references are not enforced. It
/// adds what is missing, changes tables whose form changed, and keeps the data that was removed from the schema. It
/// refuses a change that the rows can't follow, so starting the server never drops data.
package struct SchemaMigration<Tables: SchemaTables> {
    private let tables: Tables
    private let mender: any RowMender
    private var transaction: Tables.Transaction { tables.transaction }
    private var registry: Registry { transaction.registry }

    package init(_ tables: Tables, mender: any RowMender) { (self.tables, self.mender) = (tables, mender) }

    /// `old` are the documents that the rows were stored with. If `isCurrent` is false, an older version has written
    /// the rows, and everything that is derived from them is computed again. Returns what happened to rows that don't
    /// follow the schema.
    package func run(from old: [JSON], isCurrent: Bool) throws -> Mending {
        var removed = try RemovedData(transaction)
        try remove(from: old, &removed)
        var stored = Dictionary(old.map { ($0["title"]?.string ?? "", $0) }) { $1 }
        let revived = removed.collections.filter { registry[$0.key] != nil }
        stored.merge(revived) { $1 }
        let changes = registry.collections.compactMap { new in
            stored[new.name].map { CollectionChange(old: $0, new: new) }
        }.filter { !isCurrent || revived[$0.new.name] != nil || $0.old != $0.new.document }
        for change in changes { try change.check() }
        for collection in registry.collections {
            try align(collection, stored: stored[collection.name], removed: &removed)
            removed.collections[collection.name] = nil
        }
        if !isCurrent || PartDecisions(old) != PartDecisions(registry.collections.map(\.document)) {
            try transaction.run("UPDATE tidemark_projects SET filter_floor = head", [])
        }
        for name in revived.keys { try Revival(registry.collection(name), transaction).run() }
        let mending = try mend(Dictionary(changes.map { ($0.new.name, $0) }) { $1 }, isCurrent: isCurrent)
        try removed.save(transaction)
        return mending
    }

    /// Mends the rows first, then computes what is derived from them, then delivers changes to clients.
    private func mend(_ changes: [String: CollectionChange], isCurrent: Bool) throws -> Mending {
        try tables.settle()
        var unsealed = try TombstoneMending(transaction: transaction).run()
        for name in changes.keys { try transaction.rebuildListReferences(of: registry.collection(name)) }
        for change in changes.values { try ListedUpgrade(change, transaction)?.run() }
        for change in changes.values { try FileNames(of: change.new, transaction).align() }
        // An older version that does not keep digests may have written to a database that had them.
        if !isCurrent {
            try transaction.rebuildDigests()
            try transaction.run("UPDATE tidemark_projects SET history_floor = head", [])
        }
        let mending = try ReferenceMending(transaction, mender, now: WallClock.system.now()).run(changes)
        try tables.settle()
        unsealed.formUnion(try TombstoneMending(transaction: transaction).run())
        try tables.finish(
            changed: registry.collections.filter {
                !isCurrent || changes[$0.name] != nil || unsealed.contains($0.name)
            })
        return mending
    }

    // MARK: Collections

    /// Keeps the rows of a removed collection, but no constraints that could interfere with other tables.
    private func remove(from old: [JSON], _ removed: inout RemovedData) throws {
        for document in old {
            let name = document["title"]?.string ?? ""
            guard registry[name] == nil else { continue }
            guard registry.removed.contains(name) else { throw Self.lost(name) }
            try tables.detach(name)
            try transaction.forgetListReferences(of: name)
            for table in ["tidemark_row_counts", "tidemark_digests"] {
                try transaction.run("DELETE FROM \(table) WHERE collection = ?1", [.string(name)])
            }
            removed.collections[name] = document
        }
    }

    private static func lost(_ name: String) -> SchemaError {
        SchemaError(
            file: name, pointer: "",
            reason: """
                the database has this collection, but there is no file for it. Put the file back. To remove the \
                collection, set "x-removed": true in the file. Its rows are kept until you run \
                `tidemark schema prune`.
                """)
    }

    private func align(_ collection: Collection, stored: JSON?, removed: inout RemovedData) throws {
        let layout = transaction.layout(collection)
        if try tables.hasTable(collection.name) {
            let change = CollectionChange(old: stored ?? [:], new: collection)
            try addColumns(layout, change)
            let columns = try tables.columns(of: collection.name)
            try keepColumns(layout, columns: columns, change: change, removed: &removed)
            try check(columns, layout: layout, change: change, removed: &removed)
            try tables.align(layout, columns)
        } else {
            try collection.requireFreePath()
            try tables.make(layout)
        }
        try IndexAlignment(layout, tables).run()
    }

    // MARK: Columns

    private func addColumns(_ layout: TableLayout, _ change: CollectionChange) throws {
        let present = Set(try tables.columns(of: layout.collection.name).map(\.name))
        for field in layout.collection.fields where !present.contains(field.name) {
            guard field.value.isNullable || !field.fallback.isNull else { throw change.needsValue(field) }
            try tables.add(field, to: layout)
        }
    }

    /// Records the columns of removed fields.
    private func keepColumns(
        _ layout: TableLayout, columns: [StoredColumn], change: CollectionChange, removed: inout RemovedData
    ) throws {
        let name = layout.collection.name
        for column in layout.keptColumns(columns) where removed.fields[name]?[column.name] == nil {
            guard layout.collection.removedFields.contains(where: { $0.name == column.name }) else {
                throw change.lost(column.name)
            }
            removed.fields[name, default: [:]][column.name] = change.old["properties"]?[column.name] ?? [:]
        }
    }

    /// Refuses columns whose values the fields can't hold.
    private func check(
        _ columns: [StoredColumn], layout: TableLayout, change: CollectionChange, removed: inout RemovedData
    ) throws {
        let present = Dictionary(uniqueKeysWithValues: columns.map { ($0.name, $0) })
        let isRevived = removed.collections[layout.collection.name] != nil
        for field in layout.collection.fields {
            let kept = removed.fields[layout.collection.name]?.removeValue(forKey: field.name)
            if let kept { try change.check(field, storedBy: kept) }
            guard let column = present[field.name] else { continue }
            guard column.type == tables.type(of: field, layout) else { throw change.otherType(field) }
            guard !field.value.isNullable, column.isNullable else { continue }
            guard try (isRevived || kept != nil) && !holdsNulls(field, layout) else {
                throw change.refuseNulls(in: field)
            }
        }
    }

    private func holdsNulls(_ field: Field, _ layout: TableLayout) throws -> Bool {
        guard field.fallback.isNull else { return false }
        let sql = "SELECT 1 FROM \"\(layout.collection.name)\" WHERE \"\(field.name)\" IS NULL LIMIT 1"
        return try transaction.first(sql) { _ in true } ?? false
    }
}

/// What decides in which parts rows are: by collection, the fields that may be filtered by and the one that is
/// followed. If it changes, nobody knows what moved before.
private struct PartDecisions: Equatable {
    private let decisions: [String: [String]]

    init(_ documents: [JSON]) {
        let all = documents.map { document -> (String, [String]) in
            let properties = document["properties"]?.object ?? [:]
            let fields = properties.filter { $0.value["x-filterable"] == true }.keys
            let followed = document["x-follows"]?.string ?? ""
            let target = properties[followed]?["x-ref"]?["collection"]?.string ?? ""
            return (document["title"]?.string ?? "", [followed, target] + fields.sorted())
        }
        decisions = Dictionary(all.filter { $0.1 != ["", ""] }) { $1 }
    }
}

/// The tables of a database, as a migration changes them. How a table is changed differs between engines; what is
/// changed does not. All methods work in one transaction.
package protocol SchemaTables {
    associatedtype Transaction: SQLTransaction

    var transaction: Transaction { get }

    func hasTable(_ name: String) throws -> Bool
    func columns(of table: String) throws -> [StoredColumn]
    /// The type that a column of the field has, as `StoredColumn` has it.
    func type(of field: Field, _ layout: TableLayout) -> String

    /// Makes the table of a new collection, without indexes. Its references may come with `finish`.
    func make(_ layout: TableLayout) throws
    /// Adds the column of a field. Existing rows get the field's default.
    func add(_ field: Field, to layout: TableLayout) throws
    /// Brings null constraints, references and the columns of removed fields in line with the layout. References may
    /// come with `finish`. Where a field can't be null and has a default, that replaces nulls.
    func align(_ layout: TableLayout, _ columns: [StoredColumn]) throws
    /// The names of the table's indexes that have the layout's form. The others are dropped.
    func alignedIndexes(_ layout: TableLayout) throws -> Set<String>
    func makeIndex(_ name: String, _ layout: TableLayout) throws
    /// Removes what would interfere with other tables, and what the rows of a removed collection don't need.
    func detach(_ table: String) throws
    func drop(_ table: String) throws
    func dropColumn(_ field: String, of table: String) throws

    /// Writes what the transaction has collected so far and not written.
    func settle() throws
    /// Called last. The rows of the collections in `changed` were changed by statements that know nothing of what the
    /// engine derives from rows.
    func finish(changed: [Collection]) throws
}

/// A column of a table, as the database has it.
package struct StoredColumn: Sendable {
    package let name: String
    package let type: String
    package let isNullable: Bool
    /// The SQL of its default.
    package let fallback: String?

    package init(name: String, type: String, isNullable: Bool, fallback: String?) {
        self.name = name
        self.type = type
        self.isNullable = isNullable
        self.fallback = fallback
    }
}

extension TableLayout {
    /// The columns that belong to no field of the schema.
    package func keptColumns(_ columns: [StoredColumn]) -> [StoredColumn] {
        let own = SystemColumn.allCases.map(\.name) + laterColumns.map(\.name) + collection.fields.map(\.name)
        let known = Set(own)
        return columns.filter { !known.contains($0.name) }
    }

    /// The default that new rows get in a column that belongs to no field: that of the removed field.
    package func fallback(of column: StoredColumn) -> String? {
        guard let field = collection.removedFields.first(where: { $0.name == column.name }) else {
            return column.fallback
        }
        return field.fallback.isNull ? nil : SQLLiteral.text(storing: field.fallback)
    }

    /// The tables that the columns refer to, by column.
    package var references: [String: String] {
        var references = ["project_id": "tidemark_projects"]
        for field in collection.fields {
            if let reference = field.reference, !reference.isList { references[field.name] = reference.collection }
        }
        return references
    }
}

extension SQLLiteral {
    /// A literal of the value as its column stores it: lists and objects as text.
    package static func text(storing value: JSON) -> String {
        switch value {
        case .array, .object: text(.string(value.text))
        default: text(value)
        }
    }
}

/// Makes a table's indexes the same as its layout's.
struct IndexAlignment<Tables: SchemaTables> {
    private let layout: TableLayout
    private let tables: Tables
    private var table: String { layout.collection.name }

    /// The greatest number of groups of rows that an error names.
    private static var mostConflicts: Int { 5 }

    init(_ layout: TableLayout, _ tables: Tables) {
        self.layout = layout
        self.tables = tables
    }

    /// Drops indexes that the layout does not have, because each
    /// slows down every write, and makes those that are missing.
    ///
    /// Throws a `SchemaError` that names the rows in conflict if they break a unique
    /// key. A key that the file does not name, such as the one of memberships, then
    /// gets no index. The engine's rules still enforce it for all other rows.
    func run() throws {
        let present = try tables.alignedIndexes(layout)
        var missing = layout.indexes.filter { !present.contains($0.key) }
        for (name, key) in layout.impliedKeys where missing[name] != nil {
            if try !conflicts(over: key).isEmpty { missing[name] = nil }
        }
        if missing.values.contains(where: { $0.hasPrefix("CREATE UNIQUE") }) { try requireUniqueRows() }
        for name in missing.keys.sorted() { try tables.makeIndex(name, layout) }
    }

    private func requireUniqueRows() throws {
        for (index, key) in layout.collection.uniqueKeys.enumerated() where !key.isImplied {
            let groups = try conflicts(over: key)
            guard !groups.isEmpty else { continue }
            throw SchemaError(
                file: table, pointer: "/x-unique/\(index)",
                reason: """
                    rows have the same \(key.fields.joined(separator: ", ")): \(groups.joined(separator: "; ")). \
                    Start the server with the old file, change or delete all but one row of each group, then start \
                    it with this file.
                    """)
        }
    }

    private func conflicts(over key: Collection.UniqueKey) throws -> [String] {
        let columns = key.fields.map { "\"\($0)\"" }
        let terms = [TableLayout.condition(of: key)] + columns.map { "\($0) IS NOT NULL" }
        return try tables.transaction.all(
            """
            SELECT \(layout.dialect.joined("id")) || ' (project ' || project_id || ')' FROM
              (SELECT * FROM "\(table)" WHERE \(terms.joined(separator: " AND ")) ORDER BY id) AS t
            GROUP BY \((["project_id"] + columns).joined(separator: ", ")) HAVING count(*) > 1
            ORDER BY project_id, min(id) LIMIT \(Self.mostConflicts)
            """, [], isKept: false
        ) { $0.string(0) }
    }
}

/// A removed collection that comes back with its rows. Clients missed what happened to the rows, so each is delivered
/// again, and the data derived from them is computed again.
struct Revival<Transaction: SQLTransaction> {
    private let collection: Collection
    private let transaction: Transaction
    private var table: String { "\"\(collection.name)\"" }

    init(_ collection: Collection, _ transaction: Transaction) {
        self.collection = collection
        self.transaction = transaction
    }

    /// Does not set checksums; the migration does that later.
    func run() throws {
        let sql = "SELECT DISTINCT project_id FROM \(table) WHERE is_deleted = 0"
        for id in try transaction.all(sql, [], read: { $0.string(0) }) {
            guard let project = try transaction.project(id) else { continue }
            let seq = try transaction.drawSeq(of: project, shortIDs: 0)
            try transaction.number(NumberedCommit(project: id, seq: seq, at: WallClock.system.now()))
            if project.isDeleted {
                _ = try transaction.tombstoneAll(collection, project: id, at: seq)
            } else {
                try transaction.run(
                    "UPDATE \(table) SET sync_seq = ?2, filter_seq = ?2 WHERE project_id = ?1 AND is_deleted = 0",
                    [.string(id), .int(seq.rawValue)])
            }
        }
        try transaction.run(
            """
            INSERT INTO tidemark_row_counts (project_id, collection, live, tombstones)
            SELECT project_id, '\(collection.name)', SUM(1 - is_deleted), SUM(is_deleted)
            FROM \(table) GROUP BY project_id
            """, [])
        try transaction.addDigests(of: collection)
    }
}
