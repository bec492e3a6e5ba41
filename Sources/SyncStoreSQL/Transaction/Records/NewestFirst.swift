import SyncProtocol

/// The conditions of a list of records that begins with the newest one, and their values. ?1 is the oldest moment, ?2
/// the limit.
struct NewestFirst {
    private(set) var values: [JSON]
    private var conditions = ["at >= ?1"]

    init(since: Instant, before id: Int64?, limit: Int) {
        values = [.int(since.milliseconds), .int(Int64(limit))]
        require(id.map(JSON.int)) { "id < \($0)" }
    }

    /// Adds a condition, unless the value is nil. `condition` makes it of the value's parameter.
    mutating func require(_ value: JSON?, _ condition: (_ parameter: String) -> String) {
        guard let value else { return }
        values.append(value)
        conditions.append(condition("?\(values.count)"))
    }

    /// From `WHERE` to the end of the statement.
    var sql: String { "WHERE \(conditions.joined(separator: " AND ")) ORDER BY id DESC LIMIT ?2" }
}
