import SyncClientCore
import SyncProtocol
import SyncTestKit

/// Random edits of all collections, as a person could make them on a device without a network.
struct RandomEdits {
    private var random: SeededGenerator
    private var count = 0
    /// The user that suggestions name.
    private let user: Int64
    /// In a replica of all projects: the project that is edited.
    var project: String?

    init(seed: UInt64, user: Int64) {
        random = SeededGenerator(seed: seed)
        self.user = user
    }

    mutating func below(_ limit: Int) -> Int { random.below(limit) }

    /// Adds, changes or deletes one row, if there is one to take.
    mutating func edit(_ replica: Replica, named device: String) throws {
        let collections = (try replica.schema()?.collections ?? [])
            .filter(\.isUploadable).map(\.name)
        guard let collection = random.pick(collections) else { return }
        let live = try ids(of: collection, replica)
        switch (random.below(12), random.pick(live)) {
        case (_, let id) where collection == "projects":
            if let id { try replica.update(id, in: collection, with: change(of: collection, replica)) }
        case (0, let id?): try replica.delete(id, from: collection)
        case (1...4, let id?): try replica.update(id, in: collection, with: change(of: collection, replica))
        default:
            count += 1
            guard var fields = try fields(of: collection, replica) else { return }
            fields["project_id"] = project.map(JSON.string)
            try replica.insert(fields, into: collection, id: "\(device)-\(count)")
        }
    }

    private func ids(of collection: String, _ replica: Replica) throws -> [String] {
        try replica.rows(of: collection)
            .filter { $0["_status"] != "deleted" && (project == nil || $0["project_id"]?.string == project) }
            .compactMap { $0["id"]?.string }
    }

    private mutating func any(_ collection: String, _ replica: Replica) throws -> JSON? {
        random.pick(try ids(of: collection, replica)).map(JSON.string)
    }

    /// The fields of a new row; nil if there is nothing that it could belong to.
    private mutating func fields(of collection: String, _ replica: Replica) throws -> [String: JSON]? {
        switch collection {
        case "calendars": return ["name": "C"]
        case "sprints": return ["name": "S", "start_date": "2026-06-01", "finish_date": "2026-06-14"]
        case "tasks": return ["name": "T", "parent": try any("tasks", replica) ?? nil, "sprint": try sprint(replica)]
        case "risks": return ["title": "R", "probability": 1, "impact": 2, "task_ids": try tasks(replica)]
        case "sprint_retros": return try any("sprints", replica).map { ["sprint": $0, "team_visibility": "project"] }
        case "retro_action_items":
            let task = try any("tasks", replica)
            return try any("sprint_retros", replica).map {
                ["retro": $0, "text": "Do", "promoted_task_id": task ?? nil]
            }
        default: return try any("tasks", replica).map { try below(task: $0, collection, replica) }
        }
    }

    private mutating func below(task: JSON, _ collection: String, _ replica: Replica) throws -> [String: JSON] {
        switch collection {
        case "dependencies": ["predecessor": task, "successor": try any("tasks", replica) ?? nil]
        case "attachments":
            ["task": task, "name": "photo.jpg", "file": .string(String(repeating: "a", count: 64))]
        case "task_links": ["task": task, "url": "https://example.org/"]
        case "task_recurrence_rules": ["task": task, "frequency": "DAILY"]
        case "task_suggested_assignees": ["task": task, "suggested_user": .int(user)]
        default: ["task": task, "minutes": .int(Int64(1 + random.below(90))), "entry_date": "2026-06-01"]
        }
    }

    private mutating func change(of collection: String, _ replica: Replica) throws -> [String: JSON] {
        let text = JSON.string("changed \(random.below(1000))")
        switch collection {
        case "calendars": return ["name": text]
        case "projects": return ["description": text]
        case "sprints": return ["goal": text]
        case "tasks":
            guard random.below(2) == 0 else { return ["notes": text] }
            return ["parent": try any("tasks", replica) ?? nil, "sprint": try sprint(replica)]
        case "dependencies": return ["lag": .int(Int64(random.below(9)) - 4)]
        case "risks": return random.below(2) == 0 ? ["description": text] : ["task_ids": try tasks(replica)]
        case "sprint_retros": return ["notes": text]
        case "retro_action_items": return ["text": text, "promoted_task_id": try any("tasks", replica) ?? nil]
        case "task_suggested_assignees": return ["reason": text]
        case "task_links": return ["title": text]
        case "attachments": return ["name": text]
        case "task_recurrence_rules": return ["interval": .int(Int64(1 + random.below(9)))]
        default: return ["note": text]
        }
    }

    private mutating func sprint(_ replica: Replica) throws -> JSON { try any("sprints", replica) ?? nil }

    private mutating func tasks(_ replica: Replica) throws -> JSON {
        let ids = try (0..<random.below(4)).compactMap { _ in try any("tasks", replica)?.string }
        return .array(Set(ids).sorted().map(JSON.string))
    }
}
