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
            try table.check(fields, old: nil, brought: appSchema)
            // What the server lacks is no part of the new row that it takes.
            let unknown = try schema()?[collection].map { known in fields.keys.filter { known[$0] == nil } }
            try table.save(LocalRow(id: id, status: .created, changed: Set(unknown ?? []), values: values))
        }
    }

    /// Changes fields of a row. Fields that `fields` does not name stay as they are, including `modified_at`. Only
    /// fields whose value really changes are sent.
    ///
    /// Throws `EditError`, and changes nothing then.
    public func update(_ id: String, in collection: String, with fields: [String: JSON]) throws {
        try edit(collection) { table in
            var row = try table.live(id)
            try table.check(fields, old: row, brought: appSchema)
            let changes = fields.filter { row.values[$0.key] != $0.value }
            guard !changes.isEmpty else { return }
            guard changes[ProjectColumn.name] == nil else { throw EditError.fixedProject(collection: collection) }
            row.edit(changes, on: try table.drainedVersion(of: row))
            try table.save(row)
        }
    }

    /// `update(_:in:with:)` by its former name.
    @available(*, deprecated, renamed: "update(_:in:with:)")
    public func update(_ id: String, in collection: String, _ fields: [String: JSON]) throws {
        try update(id, in: collection, with: fields)
    }

    /// Deletes a row. Rows that the server deletes along with it (children, for example) leave the replica with the
    /// pull after the push. A new row that was never sent leaves at once, and takes along what the server would have
    /// deleted with it.
    ///
    /// Throws `EditError`, and changes nothing then.
    public func delete(_ id: String, from collection: String) throws {
        guard let schema = try localSchema() else { throw EditError.notPulled }
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
        guard let schema = try localSchema() else { throw EditError.notPulled }
        guard let collection = schema[collection] else { throw EditError.unknownCollection(collection) }
        // Either schema may be the older one. What the server takes no edits of is held back.
        guard collection.isUploadable || appSchema?[collection.name]?.isUploadable == true else {
            throw EditError.notUploadable(collection.name)
        }
        try writeDurably { db in
            try body(RowTable(db, collection))
            try db.execute(sql: "DELETE FROM _refused")
        }
    }
}

extension RowTable {
    /// The row, unless it was deleted here. Throws `EditError.unknownRow`.
    func live(_ id: String) throws -> LocalRow {
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

    /// Throws what is wrong with the values that an edit gives a row; `old` is nil for a new row.
    fileprivate func check(_ fields: [String: JSON], old: LocalRow?, brought: ServerSchema?) throws {
        let problems = collection.rowCheck(brought: brought).problems(fields, of: old)
        if let error = EditError(problems, of: collection) { throw error }
    }
}

/// Removes a new row that never left the device, and does to the unsent rows that refer to it what the server does in a
/// deletion. The server never hears of the row, so it would refuse them.
struct LocalDeletion {
    let db: Database
    let schema: ServerSchema

    func run(_ id: String, of table: RowTable) throws {
        var pending = [SentRow.Key(collection: table.collection.name, id: id)]
        while let next = pending.popLast() { pending += try remove(next) }
    }

    /// Removes the row. Returns the rows to remove with it.
    private func remove(_ key: SentRow.Key) throws -> [SentRow.Key] {
        guard let collection = schema[key.collection] else { return [] }
        try RowTable(db, collection).remove(key.id)
        return try schema.collections.flatMap { try release(key, by: RowTable(db, $0)) }
    }

    /// Takes the reference out of the table's rows. Returns the rows that can't be without it.
    private func release(_ key: SentRow.Key, by table: RowTable) throws -> [SentRow.Key] {
        let columns = table.collection.columns.filter { $0.reference == key.collection }
        return try columns.flatMap { column in
            try table.unsent(referringTo: key.id, in: column).compactMap { row in
                if column.onDelete == .cascade, try table.neverLeft(row) {
                    return SentRow.Key(collection: table.collection.name, id: row.id)
                }
                try table.save(row.without(key.id, in: column))
                return nil
            }
        }
    }
}

extension RowTable {
    /// Whether only this device knows the row.
    func neverLeft(_ row: LocalRow) throws -> Bool {
        try row.status == .created && row.version == ServerVersion(0) && !wasSent(row.id)
    }
}

extension LocalRow {
    /// The row without the reference. Where the reference can't be cleared, the column returns to the server's value.
    fileprivate func without(_ id: String, in column: ColumnSchema) -> LocalRow {
        var row = self
        switch (column.onDelete, values[column.name]) {
        case (.clear, .array(let ids)): row.values[column.name] = .array(ids.filter { $0.string != id })
        case (.clear, _) where column.isNullable: row.values[column.name] = .null
        default: row.takeBack([column.name])
        }
        if row.values[column.name] == base?.values[column.name] { row.changed.remove(column.name) }
        if row.status == .updated, row.changed.isEmpty { row.settle() }
        return row
    }
}

/// Why the replica rejected an edit. Nothing was changed.
public enum EditError: Error, Sendable, Equatable {
    /// The replica was never pulled, so it has no tables.
    case notPulled
    /// The schema has no collection of this name.
    case unknownCollection(String)
    /// The server accepts no uploads of this collection's rows.
    case notUploadable(String)
    /// The collection has no row of this id in the replica, or the row was deleted.
    case unknownRow(String, collection: String)
    /// The collection already has a row of this id, perhaps a deleted one that the server has not confirmed.
    case rowExists(String, collection: String)
    /// The id is not 1 to 64 letters, digits, `_`, `.` or `-`, starting with a letter or digit.
    case invalidID(String)
    /// The collection has no field of this name.
    case unknownField(String, collection: String)
    /// Only the server writes the field.
    case readOnlyField(String, collection: String)
    /// The value's type is wrong for the field. Null counts as wrong for a field that is not nullable. The sentence is
    /// the server's.
    case wrongType(String, collection: String, sentence: Sentence = Sentence())
    /// The new row lacks fields that the schema requires.
    case missingFields([String], collection: String)
    /// The server would refuse these values. In the order of the fields.
    case refused([EditProblem], collection: String)
    /// A new row in a replica of all projects does not say which project it belongs to.
    case missingProject(collection: String)
    /// The replica has no project of this id.
    case unknownProject(String)
    /// A row stays in its project, and a project's `project_id` is its id.
    case fixedProject(collection: String)

    /// What the server would say of a value. Errors that differ in nothing else are equal.
    public struct Sentence: Sendable, Equatable {
        /// Nil if no value was judged.
        public let text: String?

        /// Makes a sentence.
        public init(_ text: String? = nil) { self.text = text }

        /// Always true.
        public static func == (left: Self, right: Self) -> Bool { true }
    }
}

extension EditError: CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String {
        switch self {
        case .notPulled: "The replica is empty. Pull the project first."
        case .unknownCollection(let name): "The replica has no collection `\(name)`."
        case .notUploadable(let name): "Rows of `\(name)` can't be edited offline; edit them on the server."
        case .unknownRow(let id, let collection): "There is no row `\(id)` in `\(collection)`."
        case .rowExists(let id, let collection): "`\(collection)` already has a row `\(id)`."
        case .invalidID(let id):
            "`\(id)` is not a valid id: use 1 to 64 letters, digits, _ . or -, starting with a letter or digit."
        case .unknownField(let field, let collection): "`\(collection)` has no field `\(field)`."
        case .readOnlyField(let field, let collection): "Only the server writes `\(field)` of `\(collection)`."
        case .wrongType(let field, let collection, _): "The value for `\(field)` of `\(collection)` has the wrong type."
        case .missingFields(let fields, let collection):
            "A new row of `\(collection)` needs \(fields.map { "`\($0)`" }.joined(separator: ", "))."
        case .refused(let problems, _): problems.map(\.detail).joined(separator: " ")
        case .missingProject(let collection):
            "The replica holds all your projects, so a new row of `\(collection)` needs `project_id`."
        case .unknownProject(let id): "The replica has no project `\(id)`."
        case .fixedProject(ProjectColumn.collection): "The `project_id` of a project is its id. Leave it out."
        case .fixedProject: "A row stays in its project: `project_id` can't be changed."
        }
    }
}
