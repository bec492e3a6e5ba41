import SyncProtocol

/// The order in which dirty rows are sent, so that they can be cut into batches anywhere: a new row comes after the new
/// rows that it refers to, an edit after all new rows, and a deletion last, because the server deletes with a row what
/// still hangs on it, and an edit may have moved that elsewhere.
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

    /// A stack of its own, because a chain of rows may be longer than the thread's.
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

    /// The new rows that the row refers to.
    private func references(of row: SentRow) -> [SentRow] {
        (schema[row.collection]?.columns ?? []).compactMap { column in
            guard let collection = column.reference, let id = row.values[column.name]?.string else { return nil }
            return created[SentRow.Key(collection: collection, id: id)]
        }
    }
}
