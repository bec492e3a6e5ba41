import Foundation
import SyncProtocol

extension Client {
    /// `POST /projects/{project}/{collection}/`, for `projects` itself `POST /projects/`.
    @discardableResult
    func create(_ collection: String, _ fields: JSON, headers: [String: String] = [:]) async throws -> Answer {
        let path = collection == "projects" ? "/projects/" : "/projects/\(project)/\(collection)/"
        return try await send("POST", path, fields.data, headers: headers)
    }

    /// `GET /projects/{project}/{collection}/`.
    func list(_ collection: String, _ query: String = "") async throws -> Answer {
        try await send("GET", "/projects/\(project)/\(collection)/\(query)")
    }

    /// `GET /{collection}/{id}/`.
    func read(_ collection: String, _ id: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send("GET", "/\(collection)/\(id)/", headers: headers)
    }

    /// `PATCH /{collection}/{id}/`.
    @discardableResult
    func patch(
        _ collection: String, _ id: String, _ fields: JSON, headers: [String: String] = [:]
    ) async throws -> Answer { try await send("PATCH", "/\(collection)/\(id)/", fields.data, headers: headers) }

    /// `DELETE /{collection}/{id}/`.
    @discardableResult
    func remove(_ collection: String, _ id: String, headers: [String: String] = [:]) async throws -> Answer {
        try await send("DELETE", "/\(collection)/\(id)/", headers: headers)
    }

    /// The id of a user's live membership.
    func membership(of user: JSON) async throws -> String {
        let rows = try await list("memberships", "?limit=500").at("/results")?.array ?? []
        return rows.first { $0["user"] == user }?["id"]?.string ?? "none"
    }
}
