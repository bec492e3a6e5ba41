package import SyncProtocol

/// Writes the rows of a project as a Microsoft Project plan in MSPDI, its XML format.
///
/// Elements are in the order of Microsoft's schema of 2007 (mspdi_pj12.xsd), with `Active` and `Manual` of 2010:
/// https://learn.microsoft.com/office-project/xml-data-interchange/introduction-to-project-xml-data
///
/// An import of the plan creates the same rows again, except what `WrittenPlan.notExported` lists.
package struct PlanWriter {
    /// The collections whose rows it can write.
    package static let collections: Set = [
        "projects", "memberships", "calendars", "tasks", "dependencies", "task_links", "task_recurrence_rules",
    ]

    private let rows: [String: [[String: JSON]]]
    private let others: [String: Int]
    private let users: [PlanUser]

    /// `rows` are rows in wire form, by collection, each with its `id`, ordered by creation. `others` has the number of
    /// rows in each other collection. `users` are the users to whom an import would match resources.
    package init(rows: [String: [[String: JSON]]], others: [String: Int] = [:], users: [PlanUser]) {
        self.rows = rows
        self.others = others
        self.users = users
    }

    /// Writes the plan and lists what it leaves out.
    package func write() -> WrittenPlan {
        let losses = Losses()
        let xml = XMLWriter()
        let project = rows["projects"]?.first ?? [:]
        let calendars = CalendarWriting(rows["calendars"] ?? [], of: project, losses: losses)
        let outline = WrittenOutline(rows["tasks"] ?? [])
        let people = PeopleWriting(outline, users: users, losses: losses)
        let tasks = TaskWriting(outline: outline, rows: rows, time: calendars.time, losses: losses)
        let head = ProjectWriting(row: project, calendars: calendars, losses: losses)
        xml.add("Project", attributes: " xmlns=\"http://schemas.microsoft.com/project\"") {
            head.write(to: xml)
            tasks.writeCustomFields(to: xml)
            calendars.write(to: xml)
            xml.add("Tasks") {
                head.writeSummary(to: xml)
                tasks.write(to: xml)
            }
            people.write(to: xml)
        }
        people.listRoles(rows["memberships"] ?? [])
        UnwrittenFields(losses).list(rows, others)
        return WrittenPlan(text: xml.text, notExported: losses.lines)
    }
}

extension [String: JSON] {
    var id: String { self["id"]?.string ?? "" }

    func date(_ field: String) -> CalendarDate? { self[field]?.string.flatMap { CalendarDate($0) } }
}

/// A plan as XML, and a list of what it leaves out.
package struct WrittenPlan: Sendable {
    /// The XML document.
    package let text: String

    /// What the rows hold that the plan does not, or that an import of the plan would not accept.
    /// One line for each field and reason.
    package let notExported: [String]
}

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

/// What the rows hold that the plan does not, or that an import of the plan would not accept.
/// One line for each field and reason.
///
/// A class, because all writers of one plan add to the same list.
final class Losses {
    private struct Reason: Hashable {
        var place: String
        var text: String
    }

    private var order: [Reason] = []
    private var counts: [Reason: Int] = [:]

    /// Adds `number` rows in which the field `place`, such as `tasks.status`, is lost.
    func add(_ place: String, _ text: String, rows number: Int = 1) {
        guard number > 0 else { return }
        let reason = Reason(place: place, text: text)
        if counts[reason] == nil { order.append(reason) }
        counts[reason, default: 0] += number
    }

    /// Lines such as "tasks.status of 3 rows: …", ordered by their first cause.
    var lines: [String] {
        order.map { "\($0.place) of \(counted(counts[$0, default: 0], "row")): \($0.text)" }
    }
}

extension Losses {
    /// The text in the form that a plan can hold. Adds a loss for what is changed, or what an import would change.
    func held(_ text: String, of place: String) -> String {
        var held = text
        if !text.unicodeScalars.allSatisfy(\.isXML) {
            held = String(String.UnicodeScalarView(text.unicodeScalars.map { $0.isXML ? $0 : "\u{FFFD}" }))
            add(place, "has control characters that XML can't hold: replaced by U+FFFD")
        }
        if held.trimmed.utf8.count != held.utf8.count { add(place, "has white space at an end, which an import drops") }
        if held.utf8.count > ElementBuilder.longestText {
            add(place, "is longer than 1 MiB: an import drops its end")
        }
        return held
    }
}
