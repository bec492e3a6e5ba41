import SyncProtocol

/// How much a batch may hold: `rows` rows, and `bytes` bytes of JSON for the rows alone.
struct BatchLimits: Sendable, Equatable {
    var rows: Int
    var bytes: Int

    /// The first rows that fit together; at least one, even if it is too large.
    func prefix(of rows: [SentRow]) -> [SentRow] { prefix(of: rows.map { [$0] }) }

    /// The rows of the first groups that fit together; at least one group, even if it is too large.
    func prefix(of groups: [[SentRow]]) -> [SentRow] {
        var (result, bytes) = ([SentRow](), 0)
        for group in groups {
            bytes += group.reduce(0) { $0 + $1.json.text.utf8.count }
            let fits = result.count + group.count <= rows && bytes <= self.bytes
            guard result.isEmpty || fits else { break }
            result += group
            guard fits else { break }
        }
        return result
    }
}
