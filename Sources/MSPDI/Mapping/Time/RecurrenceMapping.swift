import SyncProtocol

extension PlanMapping {
    /// The rows of `task_recurrence_rules`. The file has no patterns, only the tasks that a pattern created. The
    /// pattern is found from their starts.
    func recurrenceRows(_ outline: Outline) -> [[String: JSON]] {
        guard outline.nodes.contains(where: \.task.isRecurring) else { return [] }
        let children = outline.children
        return outline.nodes.enumerated().compactMap { index, node in
            // In the files of some tools, the occurrences are marked as recurring too.
            let isOccurrence = node.parent.map { outline.nodes[$0].task.isRecurring } ?? false
            guard node.task.isRecurring, !children[index].isEmpty || !isOccurrence else { return nil }
            return pattern(of: node, children[index].map { outline.nodes[$0].task.start }).map { row($0, of: node) }
        }
    }

    private func pattern(of node: Outline.Node, _ starts: [PlanMoment?]) -> OccurrencePattern? {
        guard let pattern = OccurrencePattern(starts.compactMap(\.self).sorted()), !starts.contains(nil) else {
            let number = counted(starts.count, "occurrence")
            omissions.add("recurrence of \"\(node.name)\": no regular step between \(number)", kind: "recurrence")
            return nil
        }
        if !pattern.hasOneTime {
            omissions.add("times of day of the occurrences of \"\(node.name)\", which differ", kind: "recurrence")
        }
        return pattern
    }

    private func row(_ pattern: OccurrencePattern, of node: Outline.Node) -> [String: JSON] {
        var row = pattern.fields.merging(["id": .string(newID()), "task": .string(node.id)]) { $1 }
        if let time = pattern.time { row["time_of_day"] = .string(time.text) }
        return row
    }
}

extension OccurrencePattern {
    /// The fields of a rule, except the time.
    var fields: [String: JSON] {
        var fields: [String: JSON] = [
            "interval": .int(Int64(interval)), "end_type": "AFTER_N", "end_count": .int(Int64(count)),
        ]
        switch step {
        case .daily: fields["frequency"] = "DAILY"
        case .weekly(let weekdays):
            fields["frequency"] = "WEEKLY"
            fields["weekdays"] = .int(Int64(weekdays))
        case .monthly(let day):
            fields["frequency"] = "MONTHLY"
            fields["day_of_month"] = .int(Int64(day))
        }
        return fields
    }
}
