import SyncProtocol

/// How much a batch may hold: `rows` rows, and `bytes` bytes of JSON for the rows alone.
struct BatchLimits: Sendable, Equatable {
    var rows: Int
    var bytes: Int

    /// The first rows that fit together; at least one, even if it is too large.
    func prefix(of rows: [SentRow]) -> [SentRow] {
        var bytes = 0
        let fitting = rows.prefix(self.rows).prefix { row in
            bytes += row.json.text.utf8.count
            return bytes <= self.bytes
        }
        return Array(rows.prefix(max(1, fitting.count)))
    }
}
