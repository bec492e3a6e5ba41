package import SyncProtocol

/// Reads a Microsoft Project plan in MSPDI, its XML format, as Project 2003 to 2019 and other tools write it.
///
/// There are two steps: `File/` reads what the file says, and `Mapping/` converts that into rows. Nothing is dropped
/// silently: what the collections can't hold is listed in `ImportedPlan.notImported`.
package struct PlanReader {
    let users: [PlanUser]
    /// The project's start if the plan has neither a start date nor a task with a start.
    let fallbackStart: CalendarDate
    let newID: () -> String

    /// Makes a reader. Resources are matched with `users`. `newID` gives the id of each new row.
    package init(users: [PlanUser], fallbackStart: CalendarDate, newID: @escaping () -> String) {
        self.users = users
        self.fallbackStart = fallbackStart
        self.newID = newID
    }

    /// Reads the plan in a file, once and in pieces of 64 KiB. `onBytes` receives the bytes
    /// read so far and the file's size.
    package func read(
        contentsOf path: String, onBytes: (Int, Int) -> Void = { _, _ in }
    ) throws(PlanError) -> ImportedPlan {
        let omissions = Omissions()
        let source = try PlanSource(path: path)
        let size = source.size
        let file = try XMLParse(of: source, into: ElementBuilder(PlanFile(omissions: omissions)))
            .run { onBytes($0, size) }
        let mapping = PlanMapping(
            file: file, fileName: source.name, users: users, fallbackStart: fallbackStart, omissions: omissions,
            newID: newID)
        return mapping.plan()
    }
}

/// A plan as rows that can be created, and a list of what these rows leave out.
package struct ImportedPlan: Sendable {
    package var name: String

    /// The rows in wire form, by collection, each with its `id`.
    ///
    /// "projects" and "calendars" have exactly one row. "tasks" has parents before children. The others
    /// are "dependencies", "task_links" and "task_recurrence_rules". A row has only fields that a
    /// client or a scheduler may write.
    package var rows: [String: [[String: JSON]]]

    /// The users to whom tasks are assigned.
    package var assignees: Set<Int64>

    /// What the file holds and the rows do not: one line each, in the order of the file's sections.
    package var notImported: [String]
}

extension ImportedPlan {
    /// The plan with tasks assigned only to `members`, since only a member of a project can be an assignee. Assignments
    /// that this removes are added to `notImported`.
    package func assigned(onlyTo members: Set<Int64>, among users: [PlanUser]) -> ImportedPlan {
        var plan = self
        var cleared: [Int64: Int] = [:]
        plan.rows["tasks"] = rows["tasks"]?.map { row in
            guard let user = row["assignee"]?.int, !members.contains(user) else { return row }
            cleared[user, default: 0] += 1
            return row.merging(["assignee": .null]) { _, new in new }
        }
        plan.assignees = assignees.intersection(members)
        plan.notImported += cleared.sorted { $0.key < $1.key }.map { user, tasks in
            let name = users.first { $0.id == user }?.username ?? String(user)
            return
                "assignments of \(counted(tasks, "task")) to the user \"\(name)\", who is not a member of the project: "
                + "pass --add-members to make them members"
        }
        return plan
    }
}

/// A user of this server, to whom resources of a plan can be matched.
package struct PlanUser: Sendable {
    package let id: Int64
    package let username: String
    package let displayName: String

    package init(id: Int64, username: String, displayName: String) {
        self.id = id
        self.username = username
        self.displayName = displayName
    }
}
