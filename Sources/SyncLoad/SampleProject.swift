import SyncProtocol

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
        let (start, duration) = (random.below(1200), 1 + random.below(20))
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
