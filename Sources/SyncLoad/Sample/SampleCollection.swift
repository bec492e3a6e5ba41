import SyncProtocol

/// The collections of a sample project, in drain order.
enum SampleCollection: String, CaseIterable, Sendable {
    case sprints, tasks, dependencies, risks
    case retros = "sprint_retros"
    case timeEntries = "time_entries"

    /// Divides `rows` among the collections. Nil for fewer than two.
    static func shares(of rows: Int) -> [Self: Int]? {
        guard rows >= 2 else { return nil }
        let sprints = max(1, rows / 1000)
        var counts: [Self: Int] = [
            .sprints: sprints, .retros: min(sprints, rows / 500, 20), .dependencies: rows / 10, .risks: rows / 50,
            .timeEntries: rows / 20,
        ]
        counts[.tasks] = rows - counts.values.reduce(0, +)
        return counts
    }

    /// A number that no other collection has.
    var salt: UInt64 { rawValue.utf8.reduce(0x5EED) { SeededRandom.mixed($0 ^ UInt64($1)) } }
}
