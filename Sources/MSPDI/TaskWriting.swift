import SyncProtocol

/// Writes the tasks with their links.
struct TaskWriting {
    private let outline: WrittenOutline
    private let time: WrittenTime
    private let losses: Losses
    private let custom: CustomFieldWriting
    private let hyperlinks: HyperlinkWriting
    private let recurrences: RecurrenceWriting
    private let links: LinkWriting

    init(outline: WrittenOutline, rows: [String: [[String: JSON]]], time: WrittenTime, losses: Losses) {
        self.outline = outline
        self.time = time
        self.losses = losses
        custom = CustomFieldWriting(time: time, losses: losses)
        hyperlinks = HyperlinkWriting(rows["task_links"] ?? [], losses: losses)
        recurrences = RecurrenceWriting(rows["task_recurrence_rules"] ?? [], outline: outline, losses: losses)
        links = LinkWriting(rows["dependencies"] ?? [], outline: outline, time: time, losses: losses)
    }

    /// The day on which a task starts in the plan.
    static func start(_ row: [String: JSON]) -> CalendarDate? {
        row.date("planned_start") ?? row.date("scheduled_start")
    }

    func writeCustomFields(to xml: XMLWriter) { custom.writeDefinitions(for: outline.nodes.map(\.row), to: xml) }

    func write(to xml: XMLWriter) {
        for index in outline.nodes.indices { xml.add("Task") { write(index, to: xml) } }
    }

    private func write(_ index: Int, to xml: XMLWriter) {
        let node = outline.nodes[index]
        let row = node.row
        writeIdentity(index, to: xml)
        xml.add("Start", start(row))
        xml.add("Finish", finish(row))
        xml.add("Duration", time.span(days: Int(row["duration"]?.int ?? 1)))
        xml.add("DurationFormat", WrittenTime.dayFormat)
        xml.add("EffortDriven", false)
        xml.add("Recurring", recurrences.times[row.id] != nil)
        xml.add("Estimated", false)
        xml.add("Milestone", row["is_milestone"]?.bool ?? false)
        xml.add("Summary", !node.children.isEmpty)
        xml.add("Critical", row["is_critical"]?.bool)
        writeSchedule(row, to: xml)
        writeProgress(row, to: xml)
        writeConstraint(node, to: xml)
        hyperlinks.write(row, to: xml)
        let notes = losses.held(row["notes"]?.string ?? "", of: "tasks.notes")
        xml.add("Notes", notes.isEmpty ? nil : notes)
        links.write(to: row.id, xml)
        custom.write(row, to: xml)
    }

    private func writeIdentity(_ index: Int, to xml: XMLWriter) {
        let node = outline.nodes[index]
        let name = losses.held(node.row["name"]?.string ?? "", of: "tasks.name")
        if name.trimmed.isEmpty { losses.add("tasks.name", "is empty: an import gives the task a name") }
        let code = node.row["wbs_path"]?.string.map { losses.held($0, of: "tasks.wbs_path") }
        if let code, code.trimmed.isEmpty { losses.add("tasks.wbs_path", "is empty: an import treats it as not set") }
        xml.add("UID", outline.uid(index))
        xml.add("ID", outline.uid(index))
        xml.add("Name", name)
        xml.add("Active", node.row["status"] != "ON_HOLD")
        xml.add("Manual", false)
        xml.add("Type", 1)
        xml.add("IsNull", false)
        // Empty for no code. If the element is missing, readers use the outline number.
        xml.add("WBS", code ?? "")
        xml.add("OutlineNumber", node.number)
        xml.add("OutlineLevel", node.level)
    }
}

// Dates.
extension TaskWriting {
    /// The start of a task. An occurrence of a recurring task has the time of its rule.
    private func start(_ row: [String: JSON]) -> String? {
        guard let start = TaskWriting.start(row) else { return nil }
        guard let parent = row["parent"]?.string, let clock = recurrences.times[parent] else {
            return time.start(start)
        }
        return "\(start.text)T\(clock)"
    }

    /// The finish, if the early start is the task's start. Otherwise nil, since an import would treat
    /// a single finish as the early one.
    private func finish(_ row: [String: JSON]) -> String? {
        guard let finish = row.date("early_finish"),
            row["early_start"] == TaskWriting.start(row).map({ .string($0.text) })
        else { return nil }
        return time.finish(finish)
    }

    private func writeSchedule(_ row: [String: JSON], to xml: XMLWriter) {
        xml.add("EarlyStart", row.date("early_start").map(time.start))
        xml.add("EarlyFinish", row.date("early_finish").map(time.finish))
        xml.add("LateStart", row.date("late_start").map(time.start))
        xml.add("LateFinish", row.date("late_finish").map(time.finish))
        xml.add("FreeSlack", slack(row, "free_float"))
        xml.add("TotalSlack", slack(row, "total_float"))
        listStarts(row)
    }

    private func listStarts(_ row: [String: JSON]) {
        guard let start = TaskWriting.start(row) else { return }
        if row.date("planned_start") == nil {
            losses.add("tasks.planned_start", "not set: an import uses scheduled_start")
        }
        if row.date("scheduled_start").map({ $0.daysSinceEpoch != start.daysSinceEpoch }) ?? true {
            losses.add("tasks.scheduled_start", "differs from planned_start, which an import uses")
        }
        if row.date("early_start") == nil { losses.add("tasks.early_start", "not set: an import uses the start") }
    }

    private func slack(_ row: [String: JSON], _ field: String) -> Int? {
        guard let days = row[field]?.int else { return nil }
        guard abs(Double(days)) <= Double(WorkTime.mostDays) else {
            losses.add("tasks.\(field)", "more than \(WorkTime.mostDays) days")
            return nil
        }
        return time.tenths(days: Int(days))
    }

    /// Writes a constraint that keeps Project from moving the task to the project's start when it recalculates the
    /// plan. Summaries and tasks that have started stay in place without it.
    private func writeConstraint(_ node: WrittenOutline.Node, to xml: XMLWriter) {
        let isHeld =
            node.children.isEmpty && node.row.date("planned_start") != nil && node.row.date("actual_start") == nil
        xml.add("ConstraintType", isHeld ? Fields.startNoEarlierThan : 0)
        xml.add("ConstraintDate", isHeld ? start(node.row) : nil)
    }
}

// Progress.
extension TaskWriting {
    private func writeProgress(_ row: [String: JSON], to xml: XMLWriter) {
        let percent = row["percent_complete"]?.number ?? 0
        xml.add("PercentComplete", CustomFieldWriting.wholePercent(percent))
        xml.add("ActualStart", row.date("actual_start").map(time.start))
        xml.add("ActualFinish", row.date("actual_finish").map(time.finish))
        let (status, read) = (
            row["status"]?.string ?? "NOT_STARTED",
            TaskMapping.status(
                isActive: row["status"] != "ON_HOLD", percent: percent, hasStarted: row.date("actual_start") != nil)
        )
        if status != read { losses.add("tasks.status", "\(status): an import derives \(read) from the progress") }
    }
}
