import SyncProtocol

/// The order in which unsent rows are sent. The list can be cut into batches at any point:
/// - A new row comes after the new rows that it refers to.
/// - Edits come after all new rows.
/// - Deletions come last. The server deletes a row's children with it, and an edit may have
///   moved a child elsewhere before.
struct SendingOrder {
    private let schema: ServerSchema
    private var created: [SentRow.Key: SentRow] = [:]
    private var placed: Set<SentRow.Key> = []
    private var result: [SentRow] = []

    static func sorted(_ rows: [SentRow], _ schema: ServerSchema) -> [SentRow] {
        var order = SendingOrder(schema: schema)
        let created = rows.filter { $0.bucket == .created }
        for row in created { order.created[row.key] = row }
        for row in created { order.place(row) }
        return order.result + rows.filter { $0.bucket == .updated } + rows.filter { $0.bucket == .deleted }
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
        (schema[row.collection]?.columns ?? []).compactMap { column in
            guard let collection = column.reference, let id = row.values[column.name]?.string else { return nil }
            return created[SentRow.Key(collection: collection, id: id)]
        }
    }
}
