import SyncProtocol
import SyncStore
import SyncTestKit

/// Rows of a project as clients of the API can make them: what
/// a plan can hold and, unless it is plain, much that it can't.
struct RandomProject {
    private(set) var rows: [String: [[String: JSON]]] = [:]
    private var random: SeededGenerator
    private let people: [User]
    let isPlain: Bool
    private let seed: UInt64

    init(seed: UInt64, people: [User], isPlain: Bool = false) {
        random = SeededGenerator(seed: seed)
        self.people = people
        self.isPlain = isPlain
        self.seed = seed
        rows["calendars"] = calendars()
        rows["projects"] = [project()]
        let count = 8 + random.below(12)
        rows["tasks"] = (0..<count).map { task($0) }
        rows["dependencies"] = links(count)
        rows["task_links"] = (0..<count).compactMap { random.oneIn(3) ? link($0, 0) : nil }
        guard !isPlain else { return }
        let further = link(0, 1)
        rows["task_links"]?.append(further)
        rows["task_recurrence_rules"] = [rule(1), rule(2)]
        rows["risks"] = [["id": .string(id("r", 0)), "title": "Rain", "probability": 2, "impact": 3]]
    }

    private func id(_ kind: String, _ number: Int) -> String { "s\(seed)-\(kind)\(number)" }

    private mutating func pick(_ values: [JSON]) -> JSON { random.pick(values) ?? .null }

    private mutating func project() -> [String: JSON] {
        var row: [String: JSON] = [
            "id": .string(id("p", 0)), "name": .string("Project \(seed) <&>"), "start_date": "2026-02-02",
            "calendar": .string(id("c", 0)), "description": pick(["", "About\nit & \"more\""]),
        ]
        if !isPlain {
            row["program"] = pick([.null, "prog"])
            row["description"] = pick(["", " padded ", "a\u{1}b"])
        }
        return row
    }

    private mutating func calendars() -> [[String: JSON]] {
        let own: [String: JSON] = [
            "id": .string(id("c", 0)), "name": "Site", "working_days": .int(Int64(1 + random.below(127))),
            "hours_per_day": pick(isPlain ? [8, 7.5, 24, 0.5, 6] : [8, 7.33, 23.99]),
            "exceptions": exceptions(), "timezone": isPlain ? "UTC" : pick(["UTC", "Europe/Berlin"]),
        ]
        return isPlain ? [own] : [own, ["id": .string(id("c", 1)), "name": "Other", "hours_per_day": 5]]
    }

    private mutating func exceptions() -> JSON {
        let plain: JSON = [
            ["exc_start": "2026-05-01", "exc_end": "2026-05-01", "description": "Labour day"],
            ["exc_start": "2026-12-24", "exc_end": "2027-01-01", "description": "Yule & more"],
        ]
        guard !isPlain else { return pick([plain, []]) }
        return pick([
            plain, [["exc_start": "2026-05-01", "exc_end": "2026-05-01"]],
            [["exc_start": "2026-05-09", "exc_end": "2026-05-01", "description": "back"]],
            [
                ["exc_start": "2026-06-01", "exc_end": "2026-06-02", "description": "A"],
                ["exc_start": "2026-05-01", "exc_end": "2026-05-31", "description": "A"],
            ],
        ])
    }

    private mutating func date() -> JSON {
        .string("2026-0\(3 + random.below(6))-\(["01", "09", "17", "30"][random.below(4)])")
    }

    private mutating func maybeDate() -> JSON { random.oneIn(2) ? .null : date() }

    private mutating func task(_ number: Int) -> [String: JSON] {
        var row: [String: JSON] = [
            "id": .string(id("t", number)), "name": .string("T\(number) & <b>"),
            "parent": number > 0 && random.oneIn(2) ? .string(id("t", random.below(number))) : .null,
            "wbs_path": pick([.null, .string("\(number)"), .string("A.\(number)")]),
            "rank": pick([.null, "V", "Vc", "W1", "X00000005", "z"]),
            "duration": .int(Int64(random.below(40))), "notes": pick(["", "One\ntwo", "<&>"]),
            "is_milestone": pick([true, false]), "is_critical": pick([true, false, .null]),
            "total_float": pick([0, 3, -2, .null]), "free_float": pick([0, 1, .null]), "late_start": maybeDate(),
            "late_finish": maybeDate(), "actual_finish": maybeDate(),
            "assignee": random.oneIn(2) ? .null : .int(people[random.below(people.count)].id),
        ]
        let dates = isPlain ? plainDates() : oddDates()
        row.merge(dates) { $1 }
        row.merge(progress(started: row["actual_start"] ?? .null)) { $1 }
        if random.oneIn(3) { row.merge(estimates()) { $1 } }
        if !isPlain { row.merge(oddities(number)) { $1 } }
        return row
    }

    private mutating func plainDates() -> [String: JSON] {
        guard random.oneIn(2) else { return ["actual_start": maybeDate()] }
        let start = date()
        return [
            "planned_start": start, "scheduled_start": start, "early_start": date(), "early_finish": maybeDate(),
            "actual_start": maybeDate(),
        ]
    }

    private mutating func oddDates() -> [String: JSON] {
        [
            "planned_start": maybeDate(), "scheduled_start": maybeDate(), "early_start": maybeDate(),
            "early_finish": maybeDate(), "actual_start": maybeDate(),
        ]
    }

    private mutating func progress(started: JSON) -> [String: JSON] {
        if !isPlain {
            let words: [JSON] = ["BACKLOG", "NOT_STARTED", "IN_PROGRESS", "REVIEW", "ON_HOLD", "COMPLETE"]
            return ["status": pick(words), "percent_complete": pick([0, 50, 33.5, 100])]
        }
        let percent = pick([0, 50, 33.25, 100, 99.9, 0.1])
        let isBegun = percent != 0 || !started.isNull
        let derived: JSON = percent == 100 ? "COMPLETE" : isBegun ? "IN_PROGRESS" : "NOT_STARTED"
        return ["percent_complete": percent, "status": random.oneIn(4) ? "ON_HOLD" : derived]
    }

    private mutating func estimates() -> [String: JSON] {
        let low = random.below(4)
        return [
            "optimistic_duration": .int(Int64(low)),
            "most_likely_duration": isPlain ? .int(Int64(low + 1)) : pick([.int(Int64(low)), .null]),
        ]
    }

    private mutating func oddities(_ number: Int) -> [String: JSON] {
        [
            "name": pick([
                .string("T\(number)"), .string("T\(number) \u{7}"), .string("T\(number) end "),
                .string("T\(number) \r\n x"),
            ]),
            "notes": pick(["", "\n", "bell \u{7}", "\u{FFFE}", " x"]), "is_subtask": pick([true, false]),
            "modified_at": pick([.null, "2026-01-01T00:00:00Z"]),
            "total_float": pick([0, 40000, -99_999_999, .int(.max)]), "wbs_path": pick([.null, "", " 1"]),
        ]
    }

    /// Each leads to the next task, unless one of the two lies below the other.
    private mutating func links(_ count: Int) -> [[String: JSON]] {
        let parents = (rows["tasks"] ?? []).map { $0["parent"] }
        return (1..<count).filter { number in
            random.oneIn(2) && parents[number] != .string(id("t", number - 1))
        }.map { number in
            [
                "id": .string(id("d", number)), "predecessor": .string(id("t", number - 1)),
                "successor": .string(id("t", number)), "dep_type": pick(["FS", "SS", "FF", "SF"]),
                "lag": pick([0, 2, -3, 36525]),
            ]
        }
    }

    private mutating func link(_ task: Int, _ order: Int) -> [String: JSON] {
        var row: [String: JSON] = [
            "id": .string(id("l", task * 10 + order)), "task": .string(id("t", task)),
            "url": .string("https://example.org/\(task)?a=1&b=\(order)"), "title": pick(["", "A <title>"]),
        ]
        if !isPlain {
            row["labels"] = pick([[], ["a"]])
            row["status"] = pick(["unknown", "open"])
            row["display_order"] = .int(Int64(order))
        }
        return row
    }

    private mutating func rule(_ task: Int) -> [String: JSON] {
        [
            "id": .string(id("q", task)), "task": .string(id("t", task)), "frequency": "WEEKLY", "weekdays": 3,
            "timezone": pick(["UTC", "Europe/Paris"]),
        ]
    }
}
