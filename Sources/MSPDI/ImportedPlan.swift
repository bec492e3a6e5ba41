package import SyncProtocol

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
