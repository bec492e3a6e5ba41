package import SyncProtocol

/// A plan as rows that can be created, and the list of what they don't hold.
package struct ImportedPlan: Sendable {
    package var name: String

    /// Wire-form rows by collection, each with its `id`: "projects" and "calendars" exactly one, "tasks" with parents
    /// before children, "dependencies", "task_links" and "task_recurrence_rules". Only what a client may write, with
    /// the fields that a scheduler may write.
    package var rows: [String: [[String: JSON]]]

    /// The users that tasks are assigned to.
    package var assignees: Set<Int64>

    /// What the file holds and the rows don't, one line each, in the order of the file's sections.
    package var notImported: [String]
}

extension ImportedPlan {
    /// The plan with nobody assigned but `members`, since only a member of a project can be an assignee; what that
    /// takes away is added to `notImported`.
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
            return "assignments of \(counted(tasks, "task")) to the user \"\(name)\", who is no member of the project: "
                + "pass --add-members to make them members"
        }
        return plan
    }
}
