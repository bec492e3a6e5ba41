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
        let status = row["status"]?.string ?? "NOT_STARTED"
        let read = TaskMapping.status(
            isActive: row["status"] != "ON_HOLD", percent: percent, hasStarted: row.date("actual_start") != nil)
        if status != read { losses.add("tasks.status", "\(status): an import derives \(read) from the progress") }
    }
}

/// Writes the custom fields of tasks: the three estimates, and progress that is not a whole percentage,
/// for which the schema has no field.
struct CustomFieldWriting {
    private struct Field {
        let id: Int
        let name: String
        let alias: String
        /// The row's field.
        let field: String
    }

    /// https://learn.microsoft.com/office/vba/api/project.pjfield
    private static let durations = [
        Field(id: 188_743_783, name: "Duration1", alias: "Optimistic", field: "optimistic_duration"),
        Field(id: 188_743_784, name: "Duration2", alias: "Most Likely", field: "most_likely_duration"),
        Field(id: 188_743_785, name: "Duration3", alias: "Pessimistic", field: "pessimistic_duration"),
    ]
    private static let percent = Field(
        id: 188_743_767, name: "Number1", alias: CustomFieldMapping.exactPercent, field: "percent_complete")

    let time: WrittenTime
    let losses: Losses

    /// Rounded to a whole number, but 0 and 100 only for exactly 0 and 100.
    static func wholePercent(_ percent: Double) -> Int {
        percent == percent.rounded() ? Int(percent) : Int(min(max(percent.rounded(), 1), 99))
    }

    func writeDefinitions(for rows: [[String: JSON]], to xml: XMLWriter) {
        var fields = CustomFieldWriting.durations.filter { field in rows.contains { $0[field.field]?.int != nil } }
        if rows.contains(where: { exactPercent($0) != nil }) { fields.append(CustomFieldWriting.percent) }
        guard !fields.isEmpty else { return }
        xml.add("ExtendedAttributes") {
            for field in fields {
                xml.add("ExtendedAttribute") {
                    xml.add("FieldID", field.id)
                    xml.add("FieldName", field.name)
                    xml.add("Alias", field.alias)
                }
            }
        }
    }

    func write(_ row: [String: JSON], to xml: XMLWriter) {
        listUnset(row)
        for field in CustomFieldWriting.durations {
            guard let days = row[field.field]?.int else { continue }
            write(field, time.span(days: Int(days)), format: WrittenTime.dayFormat, to: xml)
        }
        if let percent = exactPercent(row) { write(CustomFieldWriting.percent, percent, format: nil, to: xml) }
    }

    private func write(_ field: Field, _ value: String, format: Int?, to xml: XMLWriter) {
        xml.add("ExtendedAttribute") {
            xml.add("FieldID", field.id)
            xml.add("Value", value)
            xml.add("DurationFormat", format)
        }
    }

    private func exactPercent(_ row: [String: JSON]) -> String? {
        guard let percent = row["percent_complete"]?.number, percent != percent.rounded() else { return nil }
        return JSON(percent).text
    }

    private func listUnset(_ row: [String: JSON]) {
        let set = CustomFieldWriting.durations.filter { row[$0.field]?.int != nil }
        guard set.allSatisfy({ row[$0.field] == 0 }) else { return }
        for field in set {
            losses.add("tasks.\(field.field)", "0, like the other estimates: an import treats them as not set")
        }
    }
}

/// Writes the links, each inside its successor.
struct LinkWriting {
    private let time: WrittenTime
    /// The links by the successor's id, with the predecessor's UID.
    private var links: [String: [(predecessor: Int, row: [String: JSON])]] = [:]

    init(_ rows: [[String: JSON]], outline: WrittenOutline, time: WrittenTime, losses: Losses) {
        self.time = time
        for row in rows {
            let from = row["predecessor"]?.string ?? ""
            let to = row["successor"]?.string ?? ""
            guard let index = outline.indexByID[from], let end = outline.indexByID[to] else {
                losses.add("dependencies", "a link to a task that does not exist")
                continue
            }
            if outline.isWithin(index, end) || outline.isWithin(end, index) {
                losses.add("dependencies", "between a summary and a task below it: an import leaves it out")
            }
            links[to, default: []].append((outline.uid(index), row))
        }
    }

    func write(to task: String, _ xml: XMLWriter) {
        for link in (links[task] ?? []).sorted(by: { $0.predecessor < $1.predecessor }) {
            xml.add("PredecessorLink") {
                xml.add("PredecessorUID", link.predecessor)
                xml.add("Type", LinkMapping.types.firstIndex(of: link.row["dep_type"]?.string ?? "FS"))
                xml.add("CrossProject", false)
                xml.add("LinkLag", time.tenths(days: Int(link.row["lag"]?.int ?? 0)))
                xml.add("LagFormat", WrittenTime.dayFormat)
            }
        }
    }
}

/// Writes the web address of each task: a plan has room for one.
struct HyperlinkWriting {
    /// The link by the task's id.
    let links: [String: (url: String, title: String)]

    init(_ rows: [[String: JSON]], losses: Losses) {
        var links: [String: (url: String, title: String)] = [:]
        let ordered = rows.enumerated().sorted {
            ($0.element["display_order"]?.int ?? 0, $0.offset) < ($1.element["display_order"]?.int ?? 0, $1.offset)
        }
        for row in ordered.map(\.element) {
            let task = row["task"]?.string ?? ""
            let url = row["url"]?.string ?? ""
            if links[task] != nil {
                losses.add("task_links", "a plan has room for one link per task")
            } else if url.unicodeScalars.allSatisfy(\.isXML), WebAddress(url)?.text == url {
                links[task] = (url, losses.held(row["title"]?.string ?? "", of: "task_links.title"))
            } else {
                losses.add("task_links", "not an address that an import accepts")
            }
        }
        self.links = links
    }

    func write(_ task: [String: JSON], to xml: XMLWriter) {
        guard let link = links[task.id] else { return }
        xml.add("Hyperlink", link.title.isEmpty ? nil : link.title)
        xml.add("HyperlinkAddress", link.url)
    }
}

/// Writes recurring tasks. A plan has no patterns, only the tasks that a pattern created. So a rule can be written only
/// if the children of its task are exactly those.
struct RecurrenceWriting {
    /// The time of day of the occurrences, by the recurring task's id.
    private(set) var times: [String: String] = [:]

    init(_ rows: [[String: JSON]], outline: WrittenOutline, losses: Losses) {
        for rule in rows {
            let task = rule["task"]?.string ?? ""
            if let index = outline.indexByID[task], RecurrenceWriting.says(outline, at: index, rule: rule) {
                times[task] = rule["time_of_day"]?.string ?? "09:00:00"
            } else {
                losses.add(
                    "task_recurrence_rules",
                    "a plan has no patterns, and the task's children are not the tasks that the pattern would create")
            }
        }
    }

    /// Whether an import would find the rule from the task's children.
    private static func says(_ outline: WrittenOutline, at index: Int, rule: [String: JSON]) -> Bool {
        let starts = outline.nodes[index].children.map { TaskWriting.start(outline.nodes[$0].row) }
        let moments = starts.compactMap(\.self).sorted { $0.daysSinceEpoch < $1.daysSinceEpoch }
            .compactMap { PlanMoment($0.text) }
        guard !starts.contains(nil), let pattern = OccurrencePattern(moments) else { return false }
        let read = pattern.fields
        return ["frequency", "interval", "weekdays", "day_of_month", "end_type", "end_date", "end_count"]
            .allSatisfy { field in
                let value = rule[field] ?? .null
                let fallback = RecurrenceWriting.defaults[field] ?? .null
                return (value.isNull ? fallback : value) == read[field] ?? fallback
            }
    }

    private static let defaults: [String: JSON] = [
        "frequency": "WEEKLY", "interval": 1, "weekdays": 0, "end_type": "NEVER",
    ]
}
