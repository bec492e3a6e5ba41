import Foundation
import SyncClient

/// All of the user's projects on this device: what the app's screens read, edit and sync.
final class PlanStore: Sendable {
    private let replica: Replica
    private let syncer: Syncer

    init(file: URL, server: String, token: String, transport: any Transport) throws {
        replica = try Replica(path: file.path(percentEncoded: false), scope: .allProjects)
        let remote = try Remote(url: server, scope: .allProjects, token: token)
        syncer = try Syncer(remote: remote, transport: transport, replica: replica)
    }

    // All of this works without a network, in every collection: tasks, risks, time entries, …

    /// Every row names its project in `project_id`.
    func rows(of collection: String, in project: String) throws -> [JSON] {
        try replica.rows(of: collection)
            .filter { $0["_status"] != "deleted" && $0["project_id"] == .string(project) }
    }

    func projects() throws -> [JSON] { try replica.rows(of: "projects").filter { $0["_status"] != "deleted" } }

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

    /// The user is its owner, and rows can be added to it at once. `start` is written like `2026-06-01`.
    func addProject(named name: String, start: String) throws -> String {
        let id = UUID().uuidString.lowercased()
        try replica.insert(["name": .string(name), "start_date": .string(start)], into: "projects", id: id)
        return id
    }

    func addTask(named name: String, in project: String) throws -> String {
        try add(["name": .string(name)], to: "tasks", in: project)
    }

    func complete(_ id: String) throws {
        try change(id, in: "tasks", with: ["status": "COMPLETE", "percent_complete": 100])
    }

    /// `day` is written like `2026-06-01`.
    func logTime(minutes: Int64, on task: String, in project: String, day: String) throws -> String {
        let fields: [String: JSON] = ["task": .string(task), "minutes": .int(minutes), "entry_date": .string(day)]
        return try add(fields, to: "time_entries", in: project)
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
