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

    mutating func otherEdit(on device: Int) -> Operation {
        let others = Self.others.filter { mix.otherCollections?.contains($0.collection) ?? true }
        let (collection, text) = random.pick(others)!
        var fields: [String: JSON] = [:]
        if let text { fields[text] = .string("\(text)-\(serial)") }
        guard !random.oneIn(3) else {
            let id = "\(collection.prefix(2))\(device)-\(serial)"
            fields.merge(needed(by: collection)) { text, _ in text }
            rowIDs[collection, default: []].append(id)
            return .edit(device: device, Edit(verb: .insert, row: RowKey(collection, id), fields: fields))
        }
        let row = RowKey(collection, knownRow(in: collection))
        if random.below(100) < mix.delete { return .edit(device: device, Edit(verb: .delete, row: row)) }
        if text == nil || random.oneIn(4) { fields.merge(reference(of: collection)) { $1 } }
        let isGuess = Self.hidden.contains(collection) && random.oneIn(2)
        return .edit(device: device, Edit(verb: .update, row: row, fields: fields, isGuess: isGuess))
    }

    /// The fields that a new row needs.
    private mutating func needed(by collection: String) -> [String: JSON] {
        switch collection {
        case "calendars": [:]
        case "sprints": ["name": .string("name-\(serial)"), "start_date": "2026-01-05", "finish_date": "2026-01-16"]
        case "dependencies": ["predecessor": .string(knownTask()), "successor": .string(knownTask())]
        case "risks": ["probability": 3, "impact": 2, "task_ids": [.string(knownTask())]]
        case "sprint_retros":
            ["sprint": .string(knownRow(in: "sprints")), "team_visibility": random.oneIn(2) ? "project" : "team_only"]
        case "retro_action_items": ["retro": .string(knownRow(in: "sprint_retros"))]
        case "task_suggested_assignees": ["task": .string(knownTask()), "suggested_user": 1]
        case "task_links": ["task": .string(knownTask()), "url": "https://example.org/"]
        case "task_recurrence_rules": ["task": .string(knownTask()), "frequency": "DAILY"]
        default: ["task": .string(knownTask()), "minutes": 30, "entry_date": "2026-01-05"]
        }
    }

    /// A change that is not a text: mostly of a reference, which may be dead by then.
    private mutating func reference(of collection: String) -> [String: JSON] {
        switch collection {
        case "calendars": ["hours_per_day": random.oneIn(4) ? 90 : 7]
        case "sprints": ["state": random.oneIn(2) ? "ACTIVE" : "PLANNED"]
        case "dependencies": random.oneIn(2) ? ["lag": .int(Int64(serial))] : ["successor": .string(knownTask())]
        case "risks": ["task_ids": .array(Set([knownTask(), knownTask()]).sorted().map(JSON.string))]
        case "sprint_retros": ["team_visibility": random.oneIn(2) ? "project" : "team_only"]
        case "retro_action_items": ["retro": .string(knownRow(in: "sprint_retros"))]
        case "task_suggested_assignees": ["state": random.oneIn(2) ? "accepted" : "revoked"]
        case "task_recurrence_rules": ["interval": .int(Int64(1 + serial % 365))]
        default: ["task": .string(knownTask())]
        }
    }

    /// An id out of a few, which makes devices edit the same rows.
    private mutating func knownRow(in collection: String) -> String {
        let own = rowIDs[collection] ?? []
        return random.pick(Array(own.suffix(4) + writes.ids(of: collection).suffix(3))) ?? "none"
    }
}
