import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStoreSQLite
import SyncTestKit

extension Scene {
    /// Inserts tasks with these ids, in one commit of the owner.
    func insertTasks(_ ids: [String], _ fields: [String: JSON] = [:]) async throws {
        try await bench.edit { editor in
            for id in ids { try editor.insert("tasks", id, fields.merging(["name": .string("Task \(id)")]) { $1 }) }
        }
    }

    func insertSprint(_ id: String) async throws {
        try await bench.edit { try $0.insert("sprints", id, Scene.sprint) }
    }

    func setRole(of user: Role, to role: Role) async throws {
        try await bench.setRole(of: user, to: role)
    }

    /// Ends the membership of the user who had this role at the beginning.
    func removeMember(_ role: Role) async throws { try await bench.setRole(of: role, to: nil) }

    func archive() async throws {
        _ = try await bench.items.archive(true, project: bench.project, by: bench.caller(.owner))
    }

    func deleteProject() async throws {
        try await bench.items.delete(bench.project, in: registry.projects, if: .none, by: bench.caller(.owner))
    }

    static var sprint: [String: JSON] {
        ["name": "Sprint", "start_date": "2026-01-05", "finish_date": "2026-01-16"]
    }

    /// Inserts a live row into every collection that can be filled, among
    /// them three tasks; also a tombstone, and a time entry of another user.
    func fill() async throws {
        try await insertTasks(["t1", "t2", "t3", "t-dead"])
        try await insertSprint("s1")
        let assignee = userID(.member)
        try await bench.edit(as: .member) { editor in
            try editor.insert("dependencies", "d1", ["predecessor": "t1", "successor": "t2"])
            try editor.insert(
                "risks", "r1", ["title": "Risk", "probability": 1, "impact": 2, "task_ids": ["t1", "t2"]])
            try editor.insert("sprint_retros", "re1", ["sprint": "s1"])
            try editor.insert("retro_action_items", "ai1", ["retro": "re1", "text": "Do", "promoted_task_id": "t1"])
            try editor.insert("task_suggested_assignees", "sa1", ["task": "t1", "suggested_user": assignee])
            try editor.insert("task_links", "l1", ["task": "t1", "url": "https://example.org/"])
            try editor.insert("task_recurrence_rules", "rr1", ["task": "t1", "frequency": "DAILY"])
            try editor.insert("time_entries", "te1", ["task": "t1", "minutes": 30, "entry_date": "2026-01-05"])
        }
        try await bench.edit(as: .admin) { editor in
            try editor.insert("time_entries", "te-foreign", ["task": "t1", "minutes": 5, "entry_date": "2026-01-05"])
            try editor.delete("tasks", "t-dead")
        }
    }
}
