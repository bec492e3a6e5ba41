import Foundation
import SyncClient
import SyncProtocol

/// One project on this device: what the app's screens read, edit and sync.
final class PlanStore: Sendable {
    private let replica: Replica
    private let syncer: Syncer

    init(file: URL, server: String, project: String, token: String, transport: any Transport) throws {
        replica = try Replica(path: file.path(percentEncoded: false), project: project)
        let remote = try Remote(url: server, project: project, token: token)
        syncer = try Syncer(remote: remote, transport: transport, replica: replica)
    }

    /// Works without a network, as all that follows but `sync`.
    func tasks() throws -> [JSON] {
        try replica.rows(of: "tasks").filter { $0["_status"] != "deleted" }
    }

    func addTask(named name: String) throws -> String {
        let id = UUID().uuidString.lowercased()
        try replica.insert(["name": .string(name)], into: "tasks", id: id)
        return id
    }

    func complete(_ id: String) throws {
        try replica.update(id, in: "tasks", ["status": "COMPLETE", "percent_complete": 100])
    }

    func remove(_ id: String) throws {
        try replica.delete(id, from: "tasks")
    }

    /// What the user should hear of the sync, nothing in most cases.
    func sync() async throws -> [String] {
        let outcome = try await syncer.sync()
        var news = try replica.refused().map { "“\($0.id)” was not accepted: \($0.detail)" }
        if let lost = outcome.pushed?.setAside, lost > 0 {
            news.append("\(lost) edits were not accepted. They are kept under “Set aside”.")
        }
        return news
    }

    /// Edits that the project did not take, for the user to copy or to throw away.
    func setAside() throws -> [SetAsideRow] { try replica.setAside() }
}
