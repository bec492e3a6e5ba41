import SyncProtocol

/// Converts a file's content into rows. An instance converts one plan, part by part in the order of their dependencies.
struct PlanMapping {
    let file: PlanFile
    let fileName: String
    let users: [PlanUser]
    let fallbackStart: CalendarDate
    let omissions: Omissions
    let newID: () -> String

    func plan() -> ImportedPlan {
        let calendar = CalendarMapping(file: file, omissions: omissions, id: newID()).row()
        let time = WorkTime(file: file, workingDays: calendar["working_days"]?.int ?? 31, omissions: omissions)
        let outline = Outline(file.tasks, omissions: omissions, newID: newID)
        let people = Assignees(file: file, users: users, outline: outline, omissions: omissions)
        let tasks = TaskMapping(file: file, outline: outline, time: time, people: people, omissions: omissions)
        let links = LinkMapping(file: file, outline: outline, time: time, omissions: omissions, newID: newID)
        let project = projectRow(calendar: calendar["id"] ?? .null)
        listFinish()
        listSummaryName(unless: project["name"]?.string)
        return ImportedPlan(
            name: project["name"]?.string ?? "",
            rows: [
                "projects": [project],
                "calendars": [calendar],
                "tasks": tasks.rows(),
                "dependencies": links.rows(),
                "task_links": hyperlinkRows(outline),
                "task_recurrence_rules": recurrenceRows(outline),
            ],
            assignees: Set(people.userOfTask.values),
            notImported: omissions.lines)
    }

    private func projectRow(calendar: JSON) -> [String: JSON] {
        let name = Texts(omissions).cut(projectName, to: 255, of: "project", "name")
        var row: [String: JSON] = [
            "id": .string(newID()), "name": .string(name), "start_date": .string(startDate.text), "calendar": calendar,
        ]
        if let notes = file.summary?.notes, !notes.isEmpty { row["description"] = .string(notes) }
        return row
    }

    private var projectName: String {
        let suffixes = [".mpp", ".mpt", ".xml"]
        func bare(_ name: String) -> String {
            (suffixes.contains { name.lowercased().hasSuffix($0) } ? String(name.dropLast(4)) : name).trimmed
        }
        let names = [file.project["Title"], file.project["Name"].map(bare), file.summary?.name, bare(fileName)]
        return names.lazy.compactMap(\.self).first { !$0.isEmpty } ?? fileName.trimmed
    }

    /// Lists the finish if the tasks don't say it.
    private func listFinish() {
        let isFromFinish = ["0", "false"].contains(file.project["ScheduleFromStart"]?.lowercased())
        if isFromFinish {
            omissions.add(
                "project field ScheduleFromStart: the plan is scheduled from its finish, a project from its start")
        }
        guard let text = file.project["FinishDate"], text != "NA" else { return }
        let last = file.tasks.compactMap(\.finish).max() ?? file.project["StartDate"].flatMap { PlanMoment($0) }
        guard isFromFinish || last?.date != PlanMoment(text)?.date else { return }
        omissions.add("project field FinishDate: \(text.prefix(100))")
    }

    private func listSummaryName(unless name: String?) {
        guard let own = file.summary?.name, !own.isEmpty, own != name else { return }
        omissions.add("the name of the project's summary: \"\(own)\"")
    }

    private var startDate: CalendarDate {
        if let text = file.project["StartDate"], text != "NA" {
            if let start = PlanMoment(text) { return start.asStart.date }
            omissions.add("the project's start date \"\(text)\", which is not a date")
        }
        if let first = file.tasks.compactMap(\.start).min() { return first.date }
        omissions.add("the plan has no start date: \(fallbackStart.text) is used")
        return fallbackStart
    }
}
