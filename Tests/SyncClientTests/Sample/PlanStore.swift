import Foundation
import SyncClient

/// All of the user's projects on this device: what the app's screens read, edit and sync.
final class PlanStore: Sendable {
    /// By which `tasks(in:from:below:)` finds its rows without reading all.
    private static let indexes = ["tasks": [RowIndex("project_id", "planned_start")]]

    private let replica: Replica
    private let syncer: Syncer

    /// Each account has a file of its own in the folder. It needs no network.
    convenience init(account: Account, folder: String) throws {
        let replica = try Replica(
            path: "\(folder)/\(account.name).replica", scope: .allProjects, indexes: Self.indexes)
        self.init(replica: replica, syncer: try account.syncer(for: replica))
    }

    init(replica: Replica, syncer: Syncer) {
        self.replica = replica
        self.syncer = syncer
    }

    // All of this works without a network.

    /// The user is its owner, and rows can be added to it at once. `start` is written like `2026-06-01`.
    func addProject(named name: String, start: String) throws -> String {
        try replica.insert(ProjectsRow.New(name: name, startDate: start))
    }

    func addTask(named name: String, in project: String) throws -> String {
        try replica.insert(TasksRow.New(projectID: project, name: name))
    }

    func task(_ id: String) throws -> TasksRow? { try replica.row(of: TasksRow.self, id: id) }

    func tasks(in project: String) throws -> [TasksRow] { try replica.rows(of: TasksRow.self, in: project) }

    /// The tasks that are planned to begin on these days, the first ones first. The last day is not among them.
    func tasks(in project: String, from first: String, below last: String) throws -> [TasksRow] {
        let days: [String: RowCondition] = ["planned_start": .range(from: .string(first), below: .string(last))]
        return try replica.rows(of: TasksRow.self, in: project, where: days, order: ["planned_start"], limit: 50)
    }

    /// The project's tasks now and after each change of them, for a screen.
    func watchTasks(in project: String) -> some AsyncSequence<[TasksRow], any Error> & Sendable {
        replica.observe(TasksRow.self, in: project)
    }

    func complete(_ task: TasksRow) throws {
        try replica.update(task) {
            $0.status = .complete
            $0.percentComplete = 100
        }
    }

    /// Saves a form: `draft` is what was typed, `task` what the form began with.
    func save(_ draft: TasksRow, from task: TasksRow) throws { try replica.update(draft, from: task) }

    /// `day` is written like `2026-06-01`.
    func logTime(minutes: Int, on task: String, in project: String, day: String) throws -> String {
        try replica.insert(TimeEntriesRow.New(projectID: project, entryDate: day, minutes: minutes, task: task))
    }

    // The same without models, in every collection: risks, sprints, …

    /// Every row names its project in `project_id`.
    func rows(of collection: String, in project: String) throws -> [JSON] {
        try replica.rows(RowQuery(collection, in: project))
    }

    func projects() throws -> [JSON] { try replica.rows(RowQuery("projects")) }

    func add(_ fields: [String: JSON], to collection: String, in project: String) throws -> String {
        let id = UUID().uuidString.lowercased()
        try replica.insert(fields.merging(["project_id": .string(project)]) { $1 }, into: collection, id: id)
        return id
    }

    func change(_ id: String, in collection: String, with fields: [String: JSON]) throws {
        try replica.update(id, in: collection, with: fields)
    }

    func remove(_ id: String, from collection: String) throws {
        try replica.delete(id, from: collection)
    }

    // From here on, there is a network.

    /// What the user should hear of the sync, nothing in most cases.
    func sync() async throws -> [String] {
        let outcome = try await syncer.sync()
        var news = try replica.refused().map { "“\($0.id)” in \($0.collection) was not accepted: \($0.detail)" }
        if let lost = outcome.pushed?.setAside, lost > 0 {
            news.append("\(lost) edits were not accepted. They are kept under “Set aside”.")
        }
        for project in outcome.pulled?.left ?? [] {
            news.append("“\(project.name ?? project.id)” is no longer yours. \(project.setAside) edits are set aside.")
        }
        return news
    }

    /// Syncs whenever something changes, here or on the server, until the task is cancelled. Both closures run where
    /// the caller is, such as on the main actor.
    nonisolated(nonsending) func watch(
        onState: (WatchState) -> Void = { _ in }, onChange: () -> Void
    ) async throws {
        try await syncer.watch(onState: onState) { _ in onChange() }
    }

    /// Edits that the server did not take, for the user to copy or to throw away.
    func setAside() throws -> [SetAsideRow] { try replica.setAside() }
}
