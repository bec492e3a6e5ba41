import SyncProtocol

/// The regular step between the starts of a recurring task's occurrences.
struct OccurrencePattern {
    enum Step: Equatable {
        case daily
        /// A bit mask: Monday 1 to Sunday 64.
        case weekly(Int)
        /// The day of the month. A shorter month has its last day instead.
        case monthly(Int)
    }

    let step: Step
    let interval: Int
    let count: Int
    /// The time of the first occurrence.
    let time: TimeOfDay?
    let hasOneTime: Bool

    /// Finds the pattern of `starts`, which must be ascending. Nil if there are fewer than two, if two are on one
    /// day, or if the gaps are not regular.
    init?(_ starts: [PlanMoment]) {
        let dates = starts.map(\.date)
        let days = dates.map(\.daysSinceEpoch)
        guard days.count >= 2, Set(days).count == days.count,
            let (step, interval) = OccurrencePattern.monthly(dates) ?? OccurrencePattern.evenly(days)
                ?? OccurrencePattern.weekly(dates),
            (1...365).contains(interval)
        else { return nil }
        self.step = step
        self.interval = interval
        count = starts.count
        time = starts[0].time
        hasOneTime = Set(starts.map(\.time)).count == 1
    }

    private static func monthly(_ dates: [CalendarDate]) -> (Step, Int)? {
        let months = dates.map { $0.civil.year * 12 + $0.civil.month - 1 }
        guard let interval = evenGap(months), let day = dates.map(\.civil.day).max() else { return nil }
        let fits = dates.allSatisfy { date in
            let end = CalendarDate.last(ofMonth: date.civil.month, of: date.civil.year)?.civil.day ?? 31
            return date.civil.day == min(day, end)
        }
        return fits ? (.monthly(day), interval) : nil
    }

    private static func evenly(_ days: [Int]) -> (Step, Int)? {
        guard let gap = evenGap(days) else { return nil }
        if gap % 7 != 0 { return (.daily, gap) }
        return (.weekly(1 << CalendarDate(daysSinceEpoch: days[0]).weekday), gap / 7)
    }

    /// The same weekdays in evenly spaced weeks. The first week may begin late, and the last may end early.
    private static func weekly(_ dates: [CalendarDate]) -> (Step, Int)? {
        var masks: [(week: Int, mask: Int)] = []
        for date in dates {
            // 1969-12-29, three days before day 0, was a Monday.
            let week = (date.daysSinceEpoch - date.weekday + 3) / 7
            if masks.last?.week != week { masks.append((week, 0)) }
            masks[masks.count - 1].mask |= 1 << date.weekday
        }
        let all = masks.reduce(0) { $0 | $1.mask }
        guard let interval = evenGap(masks.map(\.week)), let first = masks.first?.mask, let last = masks.last?.mask
        else { return nil }
        let notBefore = all & ~((1 << first.trailingZeroBitCount) - 1)
        let notAfter = all & ((1 << (Int.bitWidth - last.leadingZeroBitCount)) - 1)
        let isRegular =
            first == notBefore && last == notAfter
            && masks.dropFirst().dropLast().allSatisfy { $0.mask == all }
        return isRegular ? (.weekly(all), interval) : nil
    }

    /// The gap between neighbours, if it is the same everywhere and above 0.
    private static func evenGap(_ values: [Int]) -> Int? {
        let gaps = Set(zip(values.dropFirst(), values).map { $0 - $1 })
        guard gaps.count == 1, let gap = gaps.first, gap > 0 else { return nil }
        return gap
    }
}

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
