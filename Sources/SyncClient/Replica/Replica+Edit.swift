import GRDB
public import SyncProtocol

// Edits need no server. They work alike in every collection that the schema calls uploadable. Each edit is one
// transaction. It is on the disk when the method returns, and stays in the replica until a push has sent it.

extension Replica {
    /// Adds a row. `id` must be new in the collection. Fields that `fields` does not name get the schema's defaults.
    /// In a replica of all projects `fields` must name the `project_id`, except for a new project, whose own it is.
    /// Fields that only the server writes are filled by the pull after the push. `modified_at` stays null, unless
    /// `fields` names it: the edit then counts as made when the server receives it.
    ///
    /// Throws `EditError`, and changes nothing then.
    public func insert(_ fields: [String: JSON], into collection: String, id: String) throws {
        guard RowID.isValid(id) else { throw EditError.invalidID(id) }
        try edit(collection) { table in
            guard try table.row(id) == nil else { throw EditError.rowExists(id, collection: collection) }
            let fields = try table.placed(fields, id)
            let defaults = table.collection.columns.map { ($0.name, $0.defaultValue) }
            let values = Dictionary(uniqueKeysWithValues: defaults).merging(fields) { $1 }
            try table.check(fields)
            let missing = table.collection.required.filter { values[$0]?.isNull ?? true }
            guard missing.isEmpty else { throw EditError.missingFields(missing, collection: collection) }
            try table.save(LocalRow(id: id, status: .created, values: values))
        }
    }

    /// Changes fields of a row. Fields that `fields` does not name stay as they are, including `modified_at`. Only
    /// fields whose value really changes are sent.
    ///
    /// Throws `EditError`, and changes nothing then.
    public func update(_ id: String, in collection: String, _ fields: [String: JSON]) throws {
        try edit(collection) { table in
            var row = try table.live(id)
            try table.check(fields)
            let changes = fields.filter { row.values[$0.key] != $0.value }
            guard !changes.isEmpty else { return }
            guard changes[ProjectColumn.name] == nil else { throw EditError.fixedProject(collection: collection) }
            if row.status == .synced { (row.base, row.status) = (row.asBase, .updated) }
            row.changed.formUnion(changes.keys)
            row.values.merge(changes) { $1 }
            try table.save(row)
        }
    }

    /// Deletes a row. Rows that the server deletes along with it (children, for example) leave the replica with the
    /// pull after the push. A new row that was never sent leaves at once, and takes along what the server would have
    /// deleted with it.
    ///
    /// Throws `EditError`, and changes nothing then.
    public func delete(_ id: String, from collection: String) throws {
        guard let schema = try schema() else { throw EditError.notPulled }
        try edit(collection) { table in
            var row = try table.live(id)
            if try table.neverLeft(row) { return try LocalDeletion(db: table.db, schema: schema).run(id, of: table) }
            if row.status == .synced { row.base = row.asBase }
            row.status = .deleted
            try table.save(row)
        }
    }

    /// Runs an edit in one transaction, and releases all refused rows: the edit may make them
    /// acceptable, so they are sent again.
    private func edit(_ collection: String, _ body: (RowTable) throws -> Void) throws {
        guard let schema = try schema() else { throw EditError.notPulled }
        guard let collection = schema[collection] else { throw EditError.unknownCollection(collection) }
        guard collection.isUploadable else { throw EditError.notUploadable(collection.name) }
        try writeDurably { db in
            try body(RowTable(db, collection))
            try db.execute(sql: "DELETE FROM _refused")
        }
    }
}

extension RowTable {
    /// The row, unless it was deleted here. Throws `EditError.unknownRow`.
    fileprivate func live(_ id: String) throws -> LocalRow {
        guard let row = try row(id), row.status != .deleted else {
            throw EditError.unknownRow(id, collection: collection.name)
        }
        return row
    }

    /// The fields of a new row with its project, in a replica of all projects.
    fileprivate func placed(_ fields: [String: JSON], _ id: String) throws -> [String: JSON] {
        guard collection.projectPlace != nil else { return fields }
        let isProject = collection.name == ProjectColumn.collection
        let project = fields[ProjectColumn.name]?.string ?? (isProject ? id : "")
        guard !project.isEmpty else { throw EditError.missingProject(collection: collection.name) }
        guard !isProject || project == id else { throw EditError.fixedProject(collection: collection.name) }
        guard try isProject || hasProject(project) else { throw EditError.unknownProject(project) }
        return fields.merging([ProjectColumn.name: .string(project)]) { $1 }
    }

    private func hasProject(_ id: String) throws -> Bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM \(ProjectColumn.collection) WHERE id = ? AND _status <> 'deleted')"
        guard try db.tableExists(ProjectColumn.collection) else { return true }
        return try Bool.fetchOne(db, sql: sql, arguments: [id]) ?? false
    }

    fileprivate func check(_ fields: [String: JSON]) throws {
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            guard let column = collection[name] else {
                throw EditError.unknownField(name, collection: collection.name)
            }
            guard !column.isReadOnly else { throw EditError.readOnlyField(name, collection: collection.name) }
            guard column.kind.accepts(value), column.isNullable || !value.isNull else {
                throw EditError.wrongType(name, collection: collection.name)
            }
        }
    }
}
