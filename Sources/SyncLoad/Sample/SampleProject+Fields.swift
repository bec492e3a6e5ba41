import SyncProtocol

/// What the rows say: fields of realistic width, about 150 to 200 bytes of a task beside what has its default.
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

    func fields(of collection: SampleCollection, _ index: Int, _ dice: inout Dice) -> [String: JSON] {
        switch collection {
        case .sprints: sprint(index)
        case .tasks: task(index, &dice)
        case .dependencies: dependency(index, &dice)
        case .risks: risk(index, &dice)
        case .retros: retro(index, &dice)
        case .timeEntries: timeEntry(&dice)
        }
    }

    private func day(_ days: Int) -> JSON {
        .string(CalendarDate(daysSinceEpoch: Self.firstDay + days % 3650).text)
    }

    private func sentence(_ dice: inout Dice) -> String {
        "\(dice.pick(Self.verbs)) \(dice.pick(Self.things)), \(dice.pick(Self.places))"
    }

    private func sprint(_ index: Int) -> [String: JSON] {
        [
            "name": .string("Sprint \(index + 1)"), "goal": "Everything that was promised to the client.",
            "start_date": day(index * 14),
            "finish_date": .string(CalendarDate(daysSinceEpoch: Self.firstDay + index * 14 % 3650 + 11).text),
        ]
    }

    private func task(_ index: Int, _ dice: inout Dice) -> [String: JSON] {
        let (start, duration) = (dice.below(1200), 1 + dice.below(20))
        var row: [String: JSON] = [
            "name": .string(sentence(&dice)),
            "wbs_path": .string("\(1 + index / 400).\(1 + index / 20 % 20).\(1 + index % 20)"),
            "status": .string(dice.pick(Self.states)), "duration": .int(Int64(duration)),
            "percent_complete": .int(Int64(dice.below(21) * 5)), "planned_start": day(start), "early_start": day(start),
            "early_finish": day(start + duration), "total_float": .int(Int64(dice.below(15))),
        ]
        if dice.oneIn(2) { row["notes"] = .string("\(sentence(&dice)). Ask the site office first.") }
        if dice.oneIn(4) { row["assignee"] = .int(dice.pick(users)) }
        if dice.oneIn(4) { row["sprint"] = .string(rowID(.sprints, dice.below(counts[.sprints] ?? 1))) }
        if index % 20 != 0, dice.oneIn(4) {
            row["parent"] = .string(rowID(.tasks, index - index % 20))
            row["is_subtask"] = true
        }
        return row
    }

    /// From a task to a later one, so that there is no cycle, and another pair for each index.
    private func dependency(_ index: Int, _ dice: inout Dice) -> [String: JSON] {
        let tasks = counts[.tasks] ?? 1
        let from = index % max(1, tasks - 1)
        let to = min(tasks - 1, from + 1 + index / max(1, tasks - 1))
        return [
            "predecessor": .string(rowID(.tasks, from)), "successor": .string(rowID(.tasks, to)),
            "dep_type": .string(dice.pick(["FS", "FS", "FS", "SS"])), "lag": .int(Int64(dice.below(4))),
        ]
    }

    private func risk(_ index: Int, _ dice: inout Dice) -> [String: JSON] {
        [
            "title": .string(sentence(&dice) + " comes late"),
            "description": .string("Seen on site. " + sentence(&dice)),
            "probability": .int(Int64(1 + dice.below(5))), "impact": .int(Int64(1 + dice.below(5))),
            "owner": .int(dice.pick(users)), "task_ids": [.string(rowID(.tasks, index % (counts[.tasks] ?? 1)))],
        ]
    }

    private func retro(_ index: Int, _ dice: inout Dice) -> [String: JSON] {
        [
            "sprint": .string(rowID(.sprints, index)), "notes": .string(sentence(&dice)),
            "team_visibility": .string(dice.pick(["team_only", "project"])),
        ]
    }

    private func timeEntry(_ dice: inout Dice) -> [String: JSON] {
        [
            "task": .string(rowID(.tasks, dice.below(counts[.tasks] ?? 1))),
            "minutes": .int(Int64(15 * (1 + dice.below(32)))),
            "entry_date": day(dice.below(1200)), "note": .string(sentence(&dice)),
        ]
    }
}
