import SyncProtocol

/// How much a batch may hold.
struct BatchLimits: Sendable, Equatable {
    var rows: Int
    var bytes: Int

    /// As many rows from the front as fit, at least one.
    func prefix(of rows: [SentRow]) -> [SentRow] {
        var bytes = 0
        let fitting = rows.prefix(self.rows).prefix { row in
            bytes += row.json.text.utf8.count
            return bytes <= self.bytes
        }
        return Array(rows.prefix(max(1, fitting.count)))
    }
}
