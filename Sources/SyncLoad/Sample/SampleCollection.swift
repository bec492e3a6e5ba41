import SyncProtocol

/// A collection that a sample project has rows of, in drain order.
enum SampleCollection: String, CaseIterable, Sendable {
    case sprints, tasks, dependencies, risks
    case retros = "sprint_retros"
    case timeEntries = "time_entries"

    /// How many rows of each are that many in all; nil for fewer than two.
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

    /// Unlike any other's.
    var salt: UInt64 { rawValue.utf8.reduce(0x5EED) { SeededRandom.mixed($0 ^ UInt64($1)) } }
}
