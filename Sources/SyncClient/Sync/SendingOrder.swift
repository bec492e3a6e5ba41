import SyncProtocol

/// The order in which unsent rows of all collections are sent. The list can be cut into batches at any point:
/// - Deletions that can't take other rows along come first. They may free the unique key of a new row.
/// - A new row comes after the new rows that it refers to. A new project refers to its calendar, which belongs to it:
///   they come first, and the list can't be cut between them.
/// - Edits come after all new rows.
/// - The other deletions come last. The server deletes a row's children with it, and an edit may have moved a child
///   elsewhere before. Collections of children come before those of their parents, because the server may refuse to
///   delete a row that is in use.
struct SendingOrder {
    private let schema: ServerSchema
    private var created: [SentRow.Key: SentRow] = [:]
    private var placed: Set<SentRow.Key> = []
    private var result: [SentRow] = []

    static func sorted(_ rows: [SentRow], _ schema: ServerSchema) -> [SentRow] { groups(rows, schema).flatMap { $0 } }

    /// The sorted rows. A group must not be cut.
    static func groups(_ rows: [SentRow], _ schema: ServerSchema) -> [[SentRow]] {
        var order = SendingOrder(schema: schema)
        let created = rows.filter { $0.bucket == .created }
        for row in created { order.created[row.key] = row }
        let isProject = { (row: SentRow) in schema.isForAllProjects && row.collection == ProjectColumn.collection }
        var projects: [[SentRow]] = []
        for row in created.filter(isProject) {
            let start = order.result.count
            order.place(row)
            projects.append(Array(order.result[start...]))
        }
        let start = order.result.count
        for row in created { order.place(row) }
        let parents = Set(schema.collections.flatMap(\.columns).compactMap(\.reference))
        let deleted = rows.filter { $0.bucket == .deleted }
        let rest =
            order.result[start...] + rows.filter { $0.bucket == .updated }
            + deleted.filter { parents.contains($0.collection) }.reversed()
        return deleted.filter { !parents.contains($0.collection) }.map { [$0] } + projects + rest.map { [$0] }
    }

    private init(schema: ServerSchema) { self.schema = schema }

    /// Adds the row after everything it refers to. Uses its own stack, because a chain of
    /// rows may be too long for recursion.
    private mutating func place(_ row: SentRow) {
        var stack = [row]
        var waiting: Set<SentRow.Key> = [row.key]
        while let top = stack.last {
            let missing = references(of: top).first { !placed.contains($0.key) && !waiting.contains($0.key) }
            if let missing {
                stack.append(missing)
                waiting.insert(missing.key)
            } else {
                stack.removeLast()
                if placed.insert(top.key).inserted { result.append(top) }
            }
        }
    }

    /// The new rows that `row` refers to.
    private func references(of row: SentRow) -> [SentRow] {
        (schema[row.collection]?.columns ?? []).flatMap { column -> [SentRow] in
            guard let collection = column.reference, let value = row.values[column.name] else { return [] }
            return (value.array ?? [value]).compactMap(\.string)
                .compactMap { created[SentRow.Key(collection: collection, id: $0)] }
        }
    }
}
