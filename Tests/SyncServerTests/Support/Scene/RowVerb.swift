import SyncProtocol

/// What REST can do with a collection.
enum RowVerb: String, CaseIterable, Sendable {
    case list, create, read, patch, delete

    var success: Int {
        switch self {
        case .list, .read, .patch: 200
        case .create: 201
        case .delete: 204
        }
    }

    /// Whether the path names the item and not the project.
    var isOfItem: Bool { self == .read || self == .patch || self == .delete }
}

extension Client {
    /// Sends the request for the specimen; `id` names another row instead.
    func ask(_ verb: RowVerb, _ specimen: Specimen, id: String? = nil) async throws -> Answer {
        let item = "/api/v1/\(specimen.collection)/\(id ?? specimen.id)/"
        switch verb {
        case .list: return try await list(specimen.collection)
        case .create: return try await create(specimen.collection, specimen.body)
        case .read: return try await send("GET", item)
        case .patch: return try await send("PATCH", item, JSON.object(specimen.patch).data)
        case .delete: return try await send("DELETE", item)
        }
    }
}

extension Answer {
    /// The status, and the code if it is a refusal.
    var verdict: String { [String(status), code].compactMap(\.self).joined(separator: " ") }
}
