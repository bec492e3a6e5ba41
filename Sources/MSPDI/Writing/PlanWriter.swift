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
