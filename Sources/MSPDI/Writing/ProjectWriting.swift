import SyncProtocol

/// Writes the project's fields and its summary task.
struct ProjectWriting {
    private let row: [String: JSON]
    private let calendars: CalendarWriting
    private let losses: Losses
    private let name: String

    init(row: [String: JSON], calendars: CalendarWriting, losses: Losses) {
        self.row = row
        self.calendars = calendars
        self.losses = losses
        name = losses.held(row["name"]?.string ?? "", of: "projects.name")
        if name.trimmed.isEmpty { losses.add("projects.name", "is empty: an import uses the file's name") }
    }

    func write(to xml: XMLWriter) {
        let time = calendars.time
        // 14 is Project 2010, the first version that has `Active`.
        xml.add("SaveVersion", 14)
        xml.add("Name", name)
        xml.add("Title", name)
        xml.add("ScheduleFromStart", true)
        xml.add("StartDate", row.date("start_date").map(time.start))
        xml.add("CalendarUID", CalendarWriting.projectUID)
        xml.add("DefaultStartTime", time.first)
        xml.add("DefaultFinishTime", time.last)
        xml.add("MinutesPerDay", time.minutesPerDay)
        xml.add("MinutesPerWeek", time.minutesPerDay * calendars.workingDays.nonzeroBitCount)
        xml.add("DaysPerMonth", 20)
        xml.add("DefaultTaskType", 1)
        xml.add("DurationFormat", WrittenTime.dayFormat)
        // Tasks are held in place by constraints.
        xml.add("HonorConstraints", true)
        xml.add("NewTasksEffortDriven", false)
        xml.add("WeekStartDay", 1)
    }

    /// Writes the summary task. Project stores a project's description as the notes of its summary task.
    func writeSummary(to xml: XMLWriter) {
        let description = losses.held(row["description"]?.string ?? "", of: "projects.description")
        xml.add("Task") {
            xml.add("UID", 0)
            xml.add("ID", 0)
            xml.add("Name", name)
            xml.add("Type", 1)
            xml.add("IsNull", false)
            xml.add("OutlineNumber", "0")
            xml.add("OutlineLevel", 0)
            xml.add("Start", row.date("start_date").map(calendars.time.start))
            xml.add("Summary", true)
            xml.add("Notes", description.isEmpty ? nil : description)
        }
    }
}
