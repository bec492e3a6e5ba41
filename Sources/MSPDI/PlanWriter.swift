import SyncProtocol

/// Lists the fields that hold something and have no place in a plan.
struct UnwrittenFields {
    private let losses: Losses

    init(_ losses: Losses) { self.losses = losses }

    func list(_ rows: [String: [[String: JSON]]], _ others: [String: Int]) {
        for (collection, rows) in rows.sorted(by: { $0.key < $1.key }) where collection != "memberships" {
            guard let written = UnwrittenFields.written[collection] else {
                losses.add(collection, "a plan has no place for them", rows: rows.count)
                continue
            }
            for row in rows {
                for (field, value) in row.sorted(by: { $0.key < $1.key })
                where !written.contains(field) && !UnwrittenFields.isEmpty(value, "\(collection).\(field)") {
                    losses.add("\(collection).\(field)", "a plan has no place for it")
                }
            }
        }
        for (collection, number) in others.sorted(by: { $0.key < $1.key }) {
            losses.add(collection, "a plan has no place for them", rows: number)
        }
    }

    /// Whether the value is the one that an import would leave.
    private static func isEmpty(_ value: JSON, _ place: String) -> Bool {
        value == defaults[place] ?? .null || [.null, "", false, []].contains(value) && defaults[place] == nil
    }

    private static let defaults: [String: JSON] = [
        "calendars.timezone": "UTC", "task_links.status": "unknown", "task_links.display_order": 0,
        "task_recurrence_rules.timezone": "UTC", "task_recurrence_rules.inherit_assignee": true,
    ]

    /// The fields that are written, the fields that are listed with a specific reason, and
    /// the fields that the server writes.
    private static let written: [String: Set<String>] = [
        "projects": ["id", "server_version", "name", "description", "start_date", "calendar"],
        "calendars": ["id", "server_version", "name", "working_days", "hours_per_day", "exceptions"],
        "tasks": [
            "id", "server_version", "short_id", "project", "parent", "name", "wbs_path", "rank", "status",
            "duration", "percent_complete", "notes", "planned_start", "early_start", "early_finish", "scheduled_start",
            "late_start",
            "late_finish", "total_float", "free_float", "is_critical", "is_milestone", "actual_start", "actual_finish",
            "optimistic_duration", "most_likely_duration", "pessimistic_duration", "assignee",
        ],
        "dependencies": ["id", "server_version", "predecessor", "successor", "dep_type", "lag"],
        "task_links": ["id", "server_version", "task", "url", "title", "provider"],
        "task_recurrence_rules": [
            "id", "server_version", "task", "frequency", "interval", "weekdays", "day_of_month", "time_of_day",
            "end_type", "end_date", "end_count",
        ],
    ]
}
