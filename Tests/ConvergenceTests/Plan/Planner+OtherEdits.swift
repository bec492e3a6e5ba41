import SyncProtocol
import SyncStore
import SyncTestKit

/// Edits of rows in all collections but tasks.
extension Planner {
    /// Each collection that devices edit, with the field that gets a unique text; nil if it has none.
    private static let others: [(collection: String, text: String?)] = [
        ("calendars", "name"), ("sprints", "goal"), ("dependencies", nil), ("risks", "title"),
        ("sprint_retros", "notes"), ("retro_action_items", "text"), ("task_suggested_assignees", "reason"),
        ("task_links", "title"), ("task_recurrence_rules", nil), ("time_entries", "note"),
    ]

    /// Collections with rows that some users may not see.
    private static let hidden: Set = ["sprint_retros", "retro_action_items", "time_entries"]

    mutating func otherEdit(on device: Int, in project: String) -> Operation {
        let others = Self.others.filter { mix.otherCollections?.contains($0.collection) ?? true }
        let (collection, text) = random.pick(others)!
        var fields: [String: JSON] = [:]
        if let text { fields[text] = .string("\(text)-\(serial)") }
        guard !random.oneIn(3) else {
            let id = "\(collection.prefix(2))\(device)-\(serial)"
            fields.merge(needed(by: collection, in: project)) { text, _ in text }
            rowIDs[project, default: [:]][collection, default: []].append(id)
            return .edit(
                device: device, Edit(verb: .insert, row: RowKey(collection, id), fields: fields, project: project))
        }
        let row = RowKey(collection, knownRow(collection, in: project))
        if random.below(100) < mix.delete {
            return .edit(device: device, Edit(verb: .delete, row: row, project: project))
        }
        if text == nil || random.oneIn(4) { fields.merge(reference(of: collection, in: project)) { $1 } }
        let isGuess = Self.hidden.contains(collection) && random.oneIn(2)
        return .edit(
            device: device, Edit(verb: .update, row: row, fields: fields, isGuess: isGuess, project: project))
    }

    /// The fields that a new row needs.
    private mutating func needed(by collection: String, in project: String) -> [String: JSON] {
        switch collection {
        case "calendars": [:]
        case "sprints": ["name": .string("name-\(serial)"), "start_date": "2026-01-05", "finish_date": "2026-01-16"]
        case "dependencies":
            ["predecessor": .string(knownTask(in: project)), "successor": .string(knownTask(in: project))]
        case "risks": ["probability": 3, "impact": 2, "task_ids": [.string(knownTask(in: project))]]
        case "sprint_retros":
            [
                "sprint": .string(knownRow("sprints", in: project)),
                "team_visibility": random.oneIn(2) ? "project" : "team_only",
            ]
        case "retro_action_items": ["retro": .string(knownRow("sprint_retros", in: project))]
        case "task_suggested_assignees": ["task": .string(knownTask(in: project)), "suggested_user": 1]
        case "task_links": ["task": .string(knownTask(in: project)), "url": "https://example.org/"]
        case "task_recurrence_rules": ["task": .string(knownTask(in: project)), "frequency": "DAILY"]
        default: ["task": .string(knownTask(in: project)), "minutes": 30, "entry_date": "2026-01-05"]
        }
    }

    /// A change that is not a text: mostly of a reference, which may be dead by then.
    private mutating func reference(of collection: String, in project: String) -> [String: JSON] {
        switch collection {
        case "calendars": ["hours_per_day": random.oneIn(4) ? 90 : 7]
        case "sprints": ["state": random.oneIn(2) ? "ACTIVE" : "PLANNED"]
        case "dependencies":
            random.oneIn(2) ? ["lag": .int(Int64(serial))] : ["successor": .string(knownTask(in: project))]
        case "risks":
            ["task_ids": .array(Set([knownTask(in: project), knownTask(in: project)]).sorted().map(JSON.string))]
        case "sprint_retros": ["team_visibility": random.oneIn(2) ? "project" : "team_only"]
        case "retro_action_items": ["retro": .string(knownRow("sprint_retros", in: project))]
        case "task_suggested_assignees": ["state": random.oneIn(2) ? "accepted" : "revoked"]
        case "task_recurrence_rules": ["interval": .int(Int64(1 + serial % 365))]
        default: ["task": .string(knownTask(in: project))]
        }
    }

    /// An id out of a few, which makes devices edit the same rows.
    private mutating func knownRow(_ collection: String, in project: String) -> String {
        let (own, others) = (rowIDs[project]?[collection] ?? [], writes[project]?.ids(of: collection) ?? [])
        return random.pick(Array(own.suffix(4) + others.suffix(3))) ?? "none"
    }

    /// A device of all projects makes a project, or changes or deletes one.
    mutating func projectEdit(on device: Int) -> Operation {
        let own = made[device] ?? []
        let text = JSON.string("description-\(serial)")
        if own.isEmpty || random.oneIn(3) {
            let id = "m\(device)-\(serial)"
            made[device, default: []].append(id)
            let fields: [String: JSON] = [
                "name": .string("Made offline \(serial)"), "start_date": "2026-01-05", "description": text,
            ]
            return .edit(
                device: device, Edit(verb: .insert, row: RowKey("projects", id), fields: fields, project: id))
        }
        if random.oneIn(4), let id = random.pick(own) {
            return .edit(device: device, Edit(verb: .delete, row: RowKey("projects", id), project: id))
        }
        let id = random.pick([Edit.first, Edit.second] + own)!
        return .edit(
            device: device, Edit(verb: .update, row: RowKey("projects", id), fields: ["description": text], project: id)
        )
    }
}
