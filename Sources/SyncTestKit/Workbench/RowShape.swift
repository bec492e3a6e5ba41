package import SyncProtocol

/// What rows of a project say, whatever their ids and their order: to compare projects of which one was made of the
/// other.
///
/// Each row gets a mark of its content, then, again and again, of the marks of the rows that it refers to and that
/// refer to it. Rows that stand in the same place of two projects have the same mark in the end.
package struct RowShape {
    private static let rounds = 12
    /// Fields that are no content.
    private static let ignored: Set = ["id", "short_id", "server_version", "project", "provider"]
    /// What stands where a row does not say anything else.
    private static let defaults: [String: [String: JSON]] = [
        "projects": ["description": ""], "task_recurrence_rules": ["time_of_day": "09:00:00", "weekdays": 0],
    ]

    private struct Row {
        let text: String
        var mark: Int
        var references: [(field: String, row: Int)] = []
        var referrers: [(field: String, row: Int)] = []
    }

    private var rows: [Row] = []

    /// Wire-form rows by collection, each with its `id`.
    package init(_ collections: [String: [[String: JSON]]]) {
        var places: [String: Int] = [:]
        for (collection, list) in collections {
            for row in list {
                places[row["id"]?.string ?? ""] = rows.count
                let text = RowShape.text(row, collection, collections)
                rows.append(Row(text: text, mark: text.hashValue))
            }
        }
        for (index, row) in collections.values.joined().enumerated() {
            for (field, value) in row where field != "id" {
                guard let target = value.string.flatMap({ places[$0] }) else { continue }
                rows[index].references.append((field, target))
                rows[target].referrers.append((field, index))
            }
        }
        for _ in 0..<RowShape.rounds { refine() }
    }

    /// One row of each kind of which `self` has not as many as the other, as JSON without ids.
    package func missing(from other: RowShape) -> [String] {
        var counts: [Int: Int] = [:]
        for row in other.rows { counts[row.mark, default: 0] += 1 }
        return rows.filter { row in
            counts[row.mark, default: 0] -= 1
            return counts[row.mark, default: 0] < 0
        }.map(\.text).sorted()
    }

    private mutating func refine() {
        let marks = rows.map(\.mark)
        for index in rows.indices {
            var hasher = Hasher()
            hasher.combine(marks[index])
            for group in [rows[index].references, rows[index].referrers] {
                let around = group.map { "\($0.field) \(marks[$0.row])" }.sorted()
                hasher.combine(around)
            }
            rows[index].mark = hasher.finalize()
        }
    }

    private static func text(
        _ row: [String: JSON], _ collection: String, _ collections: [String: [[String: JSON]]]
    ) -> String {
        let references: Set = ["parent", "predecessor", "successor", "task", "calendar"]
        var members = (defaults[collection] ?? [:]).merging(row) { $1 }
        members = members.filter { !ignored.contains($0.key) && !references.contains($0.key) && !$0.value.isNull }
        return "\(collection) \(JSON.object(members).text)"
    }
}
