import SyncProtocol

/// The rows of `tasks`. Their ranks are those of the file's lines: its WBS codes may be in any order.
struct TaskMapping {
    let file: PlanFile
    let outline: Outline
    let time: WorkTime
    let people: Assignees
    let omissions: Omissions

    func rows() -> [[String: JSON]] {
        let durations = DurationMapping(time: time, omissions: omissions)
        let custom = CustomFieldMapping(fields: file.customFields, durations: durations, omissions: omissions)
        return zip(outline.nodes, OrderKey.ranks(outline.nodes.count)).map { node, rank in
            row(node, durations, percent(node.task, custom))
                .merging(["rank": .string(rank)]) { _, new in new }
                .merging(custom.estimates(of: node.task)) { _, new in new }
                .merging(dates(node.task)) { _, new in new }
        }
    }

    private func row(_ node: Outline.Node, _ durations: DurationMapping, _ percent: Double) -> [String: JSON] {
        let task = node.task
        let texts = Texts(omissions)
        return [
            "id": .string(node.id),
            "parent": node.parent.map { .string(outline.nodes[$0].id) } ?? .null,
            "name": .string(node.name),
            "wbs_path": task.wbs.map { .string(texts.cut($0, to: 255, of: "task", "WBS code")) } ?? .null,
            "status": .string(status(task, percent)),
            "duration": .int(Int64(durations.days(of: task))),
            "percent_complete": JSON(percent),
            "notes": .string(texts.cut(task.notes, to: .max, of: "task", "notes")),
            "is_critical": task.isCritical.map(JSON.bool) ?? .null,
            "is_milestone": .bool(task.isMilestone),
            "total_float": float(task.totalSlack, "total"),
            "free_float": float(task.freeSlack, "free"),
            "assignee": people.userOfTask[task.uid].map(JSON.int) ?? .null,
        ]
    }

    private func dates(_ task: PlanTask) -> [String: JSON] {
        let earlyStart = task.earlyStart ?? task.start
        let dates = [
            "planned_start": task.start?.date, "scheduled_start": task.start?.date,
            "early_start": earlyStart?.date,
            "early_finish": lastDay(task.earlyFinish ?? task.finish, from: earlyStart, of: task),
            "late_start": task.lateStart?.date,
            "late_finish": lastDay(task.lateFinish, from: task.lateStart, of: task),
            "actual_start": task.actualStart?.date,
            "actual_finish": lastDay(task.actualFinish, from: task.actualStart, of: task),
        ]
        return dates.mapValues { $0.map { .string($0.text) } ?? .null }
    }

    /// The day on which the task is finished. A task that takes no time is finished on the day on which it starts.
    private func lastDay(_ finish: PlanMoment?, from start: PlanMoment?, of task: PlanTask) -> CalendarDate? {
        let takesTime = task.duration.map { !$0.span.isZero } ?? !task.isMilestone
        return finish.map { takesTime ? $0.lastDay(from: start) : $0.date }
    }

    private func status(_ task: PlanTask, _ percent: Double) -> String {
        if !task.isActive { omissions.count("", "inactive task", "became ON_HOLD") }
        return TaskMapping.status(isActive: task.isActive, percent: percent, hasStarted: task.actualStart != nil)
    }

    /// The status that follows from a task's progress.
    static func status(isActive: Bool, percent: Double, hasStarted: Bool) -> String {
        if !isActive { return "ON_HOLD" }
        if percent >= 100 { return "COMPLETE" }
        return percent > 0 || hasStarted ? "IN_PROGRESS" : "NOT_STARTED"
    }

    private func percent(_ task: PlanTask, _ custom: CustomFieldMapping) -> Double {
        if let exact = custom.exactPercent(of: task) { return exact }
        let percent = min(max(task.percentComplete, 0), 100)
        if percent != task.percentComplete { omissions.count("progress of", "task", "outside 0 to 100 percent") }
        return percent
    }

    private func float(_ slack: Int?, _ which: String) -> JSON {
        guard let slack else { return .null }
        let days = time.days(tenths: slack)
        if abs(days.rounded()) > Double(WorkTime.mostDays) {
            omissions.count("\(which) float of", "task", "cut to \(WorkTime.mostDays) days")
        } else if days != days.rounded() {
            omissions.count("\(which) float of", "task", "rounded to whole days")
        }
        return .int(Int64(days.wholeDays))
    }
}
