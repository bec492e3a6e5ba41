package import SyncProtocol

/// A made-up project of a given size, for load tests: mostly tasks, and some rows that refer to tasks. The same id,
/// size, users and seed give the same rows.
package struct SampleProject: Sendable {
    /// Rows of one collection that are stored together.
    package struct Chunk: Sendable {
        package let collection: String
        /// The rows in wire form, each with its `id`.
        package let rows: [[String: JSON]]
        /// The user who writes them. Own-only rows belong to this user.
        package let author: Int64
    }

    /// The most rows in a chunk; this bounds the memory.
    static let chunkSize = 5000

    let id: String
    /// The project's members, the owner first.
    let users: [Int64]
    let counts: [SampleCollection: Int]
    private let seed: UInt64

    /// Makes a project. `rows` counts all its rows, including the project itself, its calendar and its memberships. Nil
    /// when there are too few rows for these plus one sprint and one task.
    package init?(id: String, rows: Int, users: [Int64], seed: UInt64) {
        guard let counts = SampleCollection.shares(of: rows - users.count - 2) else { return nil }
        self.id = id
        self.users = users
        self.counts = counts
        // Ids are unique across the whole database, so two projects must not draw the same ones.
        self.seed = id.utf8.reduce(seed) { SeededRandom.mixed($0 ^ UInt64($1)) }
    }

    /// All rows except those that a new project already has. A row comes after the rows that it refers to.
    package var chunks: some Sequence<Chunk> {
        SampleCollection.allCases.lazy.flatMap { collection in
            parts(of: collection).lazy.map { chunk(collection, $0) }
        }
    }

    private func parts(of collection: SampleCollection) -> [(range: Range<Int>, author: Int64)] {
        let count = counts[collection] ?? 0
        guard collection == .timeEntries else { return split(0..<count).map { ($0, users[0]) } }
        return users.indices.flatMap { user in
            let range = count * user / users.count..<count * (user + 1) / users.count
            return split(range).map { ($0, users[user]) }
        }
    }

    private func split(_ range: Range<Int>) -> [Range<Int>] {
        stride(from: range.lowerBound, to: range.upperBound, by: Self.chunkSize).map {
            $0..<min($0 + Self.chunkSize, range.upperBound)
        }
    }

    private func chunk(_ collection: SampleCollection, _ part: (range: Range<Int>, author: Int64)) -> Chunk {
        let rows = part.range.map { index in
            var random = SeededRandom(seed: SeededRandom.mixed(seed ^ UInt64(index)) ^ collection.salt)
            var row = fields(of: collection, index, &random)
            row["id"] = .string(rowID(collection, index))
            return row
        }
        return Chunk(collection: collection.rawValue, rows: rows, author: part.author)
    }

    /// A row's id. It looks like a UUID, as clients make them.
    func rowID(_ collection: SampleCollection, _ index: Int) -> String {
        let number = SeededRandom.mixed((seed ^ collection.salt) &+ UInt64(index))
        let digits = Hex.text(number) + Hex.text(SeededRandom.mixed(~number))
        let cuts = [0, 8, 12, 16, 20, 32]
        return zip(cuts, cuts.dropFirst()).map { digits.dropFirst($0).prefix($1 - $0) }.joined(separator: "-")
    }
}

/// The fields of the rows. They have realistic sizes: a task takes about 150 to 200 bytes besides the defaults.
extension SampleProject {
    private static let verbs = ["Pour", "Inspect", "Order", "Install", "Test", "Review", "Paint", "Clear", "Document"]
    private static let things = [
        "concrete", "window frames", "the wiring", "scaffolding", "ventilation ducts", "the roof drains", "tiles",
        "fire doors", "the lift shaft", "handover papers",
    ]
    private static let places = ["ground floor", "section B", "the east wing", "level 3", "the plant room"]
    private static let states = ["BACKLOG", "NOT_STARTED", "NOT_STARTED", "IN_PROGRESS", "REVIEW", "COMPLETE"]
    /// 2026-01-05, a Monday.
    private static let firstDay = 20_458

    func fields(of collection: SampleCollection, _ index: Int, _ random: inout SeededRandom) -> [String: JSON] {
        switch collection {
        case .sprints: sprint(index)
        case .tasks: task(index, &random)
        case .dependencies: dependency(index, &random)
        case .risks: risk(index, &random)
        case .retros: retro(index, &random)
        case .timeEntries: timeEntry(&random)
        }
    }

    private func day(_ days: Int) -> JSON {
        .string(CalendarDate(daysSinceEpoch: Self.firstDay + days % 3650).text)
    }

    private func sentence(_ random: inout SeededRandom) -> String {
        "\(random.pick(Self.verbs)) \(random.pick(Self.things)), \(random.pick(Self.places))"
    }

    private func sprint(_ index: Int) -> [String: JSON] {
        [
            "name": .string("Sprint \(index + 1)"), "goal": "Everything that was promised to the client.",
            "start_date": day(index * 14),
            "finish_date": .string(CalendarDate(daysSinceEpoch: Self.firstDay + index * 14 % 3650 + 11).text),
        ]
    }

    private func task(_ index: Int, _ random: inout SeededRandom) -> [String: JSON] {
        let start = random.below(1200)
        let duration = 1 + random.below(20)
        var row: [String: JSON] = [
            "name": .string(sentence(&random)),
            "wbs_path": .string("\(1 + index / 400).\(1 + index / 20 % 20).\(1 + index % 20)"),
            "status": .string(random.pick(Self.states)), "duration": .int(Int64(duration)),
            "percent_complete": .int(Int64(random.below(21) * 5)), "planned_start": day(start),
            "early_start": day(start),
            "early_finish": day(start + duration), "total_float": .int(Int64(random.below(15))),
        ]
        if random.oneIn(2) { row["notes"] = .string("\(sentence(&random)). Ask the site office first.") }
        if random.oneIn(4) { row["assignee"] = .int(random.pick(users)) }
        if random.oneIn(4) { row["sprint"] = .string(rowID(.sprints, random.below(counts[.sprints] ?? 1))) }
        if index % 20 != 0, random.oneIn(4) {
            row["parent"] = .string(rowID(.tasks, index - index % 20))
            row["is_subtask"] = true
        }
        return row
    }

    /// A dependency from a task to a later one, so there is no cycle. Each index gives another pair.
    private func dependency(_ index: Int, _ random: inout SeededRandom) -> [String: JSON] {
        let tasks = counts[.tasks] ?? 1
        let from = index % max(1, tasks - 1)
        let to = min(tasks - 1, from + 1 + index / max(1, tasks - 1))
        return [
            "predecessor": .string(rowID(.tasks, from)), "successor": .string(rowID(.tasks, to)),
            "dep_type": .string(random.pick(["FS", "FS", "FS", "SS"])), "lag": .int(Int64(random.below(4))),
        ]
    }

    private func risk(_ index: Int, _ random: inout SeededRandom) -> [String: JSON] {
        [
            "title": .string(sentence(&random) + " comes late"),
            "description": .string("Seen on site. " + sentence(&random)),
            "probability": .int(Int64(1 + random.below(5))), "impact": .int(Int64(1 + random.below(5))),
            "owner": .int(random.pick(users)), "task_ids": [.string(rowID(.tasks, index % (counts[.tasks] ?? 1)))],
        ]
    }

    private func retro(_ index: Int, _ random: inout SeededRandom) -> [String: JSON] {
        [
            "sprint": .string(rowID(.sprints, index)), "notes": .string(sentence(&random)),
            "team_visibility": .string(random.pick(["team_only", "project"])),
        ]
    }

    private func timeEntry(_ random: inout SeededRandom) -> [String: JSON] {
        [
            "task": .string(rowID(.tasks, random.below(counts[.tasks] ?? 1))),
            "minutes": .int(Int64(15 * (1 + random.below(32)))),
            "entry_date": day(random.below(1200)), "note": .string(sentence(&random)),
        ]
    }
}

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

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). The seed
/// determines everything that is drawn.
package struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return SeededRandom.mixed(state)
    }

    /// A bijection on 64 bits: different numbers stay different.
    static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number below `bound`.
    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

    /// True with a probability of 1 in `times`.
    mutating func oneIn(_ times: Int) -> Bool { below(times) == 0 }

    /// A random element.
    mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }
}

/// Hexadecimal digits of fixed width: 16.
enum Hex {
    static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
