import SyncProtocol

/// A possible row of any collection, with the rows that it needs. A matrix can make one for each of its cells.
struct Specimen: Sendable {
    let collection: String
    let id: String
    /// The fields that a create sends.
    let fields: [String: JSON]
    /// The rows that `fields` refer to.
    let parents: [Specimen]

    /// `user` is the user that the row is about, if its collection has such a
    /// field: a member, or, for memberships, an account that is not a member yet.
    init(_ collection: String, _ id: String, user: JSON = .null) {
        self.collection = collection
        self.id = id
        parents = (Specimen.needs[collection] ?? []).enumerated().map { index, parent in
            Specimen(parent, "\(id)-\(index)", user: user)
        }
        fields = Specimen.fields(collection, user, parents.map { .string($0.id) })
    }

    /// Parents come first.
    var rows: [Specimen] { parents.flatMap(\.rows) + [self] }

    /// The fields and the id, as a create sends them.
    var body: JSON { .object(fields.merging(["id": .string(id)]) { $1 }) }

    /// A change that succeeds for everybody who may change such a row at all.
    var patch: [String: JSON] { Specimen.patches[collection]! }

    private static let needs: [String: [String]] = [
        "dependencies": ["tasks", "tasks"], "risks": ["tasks"], "sprint_retros": ["sprints"],
        "retro_action_items": ["sprint_retros"], "task_suggested_assignees": ["tasks"], "task_links": ["tasks"],
        "task_recurrence_rules": ["tasks"], "time_entries": ["tasks"],
        "attachments": ["tasks"],
    ]

    private static func fields(_ collection: String, _ user: JSON, _ parents: [JSON]) -> [String: JSON] {
        switch collection {
        case "projects": ["name": "Project", "start_date": "2026-01-05"]
        case "memberships": ["user": user, "role": 1]
        case "sprints": Scene.sprint
        case "dependencies": ["predecessor": parents[0], "successor": parents[1]]
        case "risks": ["title": "Risk", "probability": 1, "impact": 2, "task_ids": .array(parents)]
        // Visible to viewers, because hidden rows have their own tests.
        case "sprint_retros": ["sprint": parents[0], "team_visibility": "project"]
        case "retro_action_items": ["retro": parents[0], "text": "Do"]
        case "task_suggested_assignees": ["task": parents[0], "suggested_user": user]
        case "task_links": ["task": parents[0], "url": "https://example.org/"]
        case "task_recurrence_rules": ["task": parents[0], "frequency": "DAILY"]
        case "attachments": ["task": parents[0], "name": "photo.jpg"]
        case "time_entries": ["task": parents[0], "minutes": 30, "entry_date": "2026-01-05"]
        default: ["name": .string(collection)]
        }
    }

    private static let patches: [String: [String: JSON]] = [
        "projects": ["description": "changed"], "calendars": ["name": "changed"], "memberships": ["role": 100],
        "sprints": ["goal": "changed"], "tasks": ["notes": "changed"], "dependencies": ["lag": 3],
        "risks": ["description": "changed"], "sprint_retros": ["notes": "changed"],
        "retro_action_items": ["text": "changed"], "task_suggested_assignees": ["reason": "changed"],
        "task_links": ["title": "changed"], "task_recurrence_rules": ["interval": 3],
        "time_entries": ["note": "changed"], "attachments": ["media_type": "image/jpeg"],
    ]
}
