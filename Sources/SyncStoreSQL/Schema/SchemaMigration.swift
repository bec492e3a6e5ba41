package import SyncProtocol
import SyncSchema
package import SyncStore

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
            try align(collection, stored[collection.name], &removed)
            removed.collections[collection.name] = nil
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

    private func align(_ collection: Collection, _ stored: JSON?, _ removed: inout RemovedData) throws {
        let layout = transaction.layout(collection)
        if try tables.hasTable(collection.name) {
            let change = CollectionChange(old: stored ?? [:], new: collection)
            try addColumns(layout, change)
            let columns = try tables.columns(of: collection.name)
            try keepColumns(layout, columns, change, &removed)
            try check(columns, layout, change, &removed)
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
        _ layout: TableLayout, _ columns: [StoredColumn], _ change: CollectionChange, _ removed: inout RemovedData
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
        _ columns: [StoredColumn], _ layout: TableLayout, _ change: CollectionChange, _ removed: inout RemovedData
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
