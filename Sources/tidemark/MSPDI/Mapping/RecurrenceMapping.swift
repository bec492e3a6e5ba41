import SyncProtocol

extension PlanMapping {
    /// The rows of `task_recurrence_rules`. The file has no patterns, only the tasks that one made: the pattern is read
    /// off their starts.
    func recurrenceRows(_ outline: Outline) -> [[String: JSON]] {
        guard outline.nodes.contains(where: \.task.isRecurring) else { return [] }
        let children = outline.children
        return outline.nodes.indices.filter { outline.nodes[$0].task.isRecurring }.compactMap { index in
            let starts = children[index].map { outline.nodes[$0].task.start }
            let node = outline.nodes[index]
            guard let pattern = OccurrencePattern(starts.compactMap(\.self).sorted()), !starts.contains(nil) else {
                omissions.add(
                    "recurrence of \"\(node.name)\": no regular step between \(counted(starts.count, "occurrence"))",
                    kind: "recurrence")
                return nil
            }
            if !pattern.hasOneTime {
                omissions.add("times of day of the occurrences of \"\(node.name)\", which differ", kind: "time of day")
            }
            return row(pattern, of: node)
        }
    }

    private func row(_ pattern: OccurrencePattern, of node: Outline.Node) -> [String: JSON] {
        var row: [String: JSON] = [
            "id": .string(newID()), "task": .string(node.id), "interval": .int(Int64(pattern.interval)),
            "end_type": "AFTER_N", "end_count": .int(Int64(pattern.count)),
        ]
        if let time = pattern.time { row["time_of_day"] = .string(time.text) }
        switch pattern.step {
        case .daily: row["frequency"] = "DAILY"
        case .weekly(let weekdays):
            row["frequency"] = "WEEKLY"
            row["weekdays"] = .int(Int64(weekdays))
        case .monthly(let day):
            row["frequency"] = "MONTHLY"
            row["day_of_month"] = .int(Int64(day))
        }
        return row
    }
}
