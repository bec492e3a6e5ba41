package import SyncProtocol

/// The content of a project's rows, independent of ids and order. It compares two projects, one
/// of which was made from the other.
///
/// Each row first gets a hash of its own content. Then, in each round, it gets a hash of the hashes of the rows that it
/// refers to and that refer to it. In the end, rows with the same place in two projects have the same hash.
package struct RowShape {
    private static let rounds = 12
    /// Fields that do not count as content.
    private static let ignored: Set = ["id", "short_id", "server_version", "project", "provider"]
    /// The values of fields that a row does not have.
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

    /// Takes rows in wire form, by collection, each with its `id`.
    package init(_ collections: [String: [[String: JSON]]]) {
        var indexes: [String: Int] = [:]
        for (collection, list) in collections {
            for row in list {
                indexes[row["id"]?.string ?? ""] = rows.count
                let text = RowShape.text(row, collection, collections)
                rows.append(Row(text: text, mark: text.hashValue))
            }
        }
        for (index, row) in collections.values.joined().enumerated() {
            for (field, value) in row where field != "id" {
                guard let target = value.string.flatMap({ indexes[$0] }) else { continue }
                rows[index].references.append((field, target))
                rows[target].referrers.append((field, index))
            }
        }
        for _ in 0..<RowShape.rounds { refine() }
    }

    /// Rows of `self` that `other` does not have, or not as often, as JSON without ids.
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
