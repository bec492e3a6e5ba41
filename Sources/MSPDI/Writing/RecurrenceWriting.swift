import SyncProtocol

/// Writes recurring tasks. A plan has no patterns, only the tasks that a pattern created. So a rule can be written only
/// if the children of its task are exactly those.
struct RecurrenceWriting {
    /// The time of day of the occurrences, by the recurring task's id.
    private(set) var times: [String: String] = [:]

    init(_ rows: [[String: JSON]], outline: WrittenOutline, losses: Losses) {
        for rule in rows {
            let task = rule["task"]?.string ?? ""
            if let index = outline.indexByID[task], RecurrenceWriting.says(outline, index, rule) {
                times[task] = rule["time_of_day"]?.string ?? "09:00:00"
            } else {
                losses.add(
                    "task_recurrence_rules",
                    "a plan has no patterns, and the task's children are not the tasks that the pattern would create")
            }
        }
    }

    /// Whether an import would find the rule from the task's children.
    private static func says(_ outline: WrittenOutline, _ index: Int, _ rule: [String: JSON]) -> Bool {
        let starts = outline.nodes[index].children.map { TaskWriting.start(outline.nodes[$0].row) }
        let moments = starts.compactMap(\.self).sorted { $0.daysSinceEpoch < $1.daysSinceEpoch }
            .compactMap { PlanMoment($0.text) }
        guard !starts.contains(nil), let pattern = OccurrencePattern(moments) else { return false }
        let read = pattern.fields
        return ["frequency", "interval", "weekdays", "day_of_month", "end_type", "end_date", "end_count"]
            .allSatisfy { field in
                let (value, fallback) = (rule[field] ?? .null, RecurrenceWriting.defaults[field] ?? .null)
                return (value.isNull ? fallback : value) == read[field] ?? fallback
            }
    }

    private static let defaults: [String: JSON] = [
        "frequency": "WEEKLY", "interval": 1, "weekdays": 0, "end_type": "NEVER",
    ]
}
