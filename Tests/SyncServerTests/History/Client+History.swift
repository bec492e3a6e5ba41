import SyncProtocol

extension Client {
    /// `GET /{collection}/{id}/history/`.
    func history(_ collection: String, _ id: String, _ query: String = "") async throws -> Answer {
        try await send("GET", "/api/v1/\(collection)/\(id)/history/\(query)")
    }
}

extension Answer {
    /// The entries of a page of a history.
    var entries: [JSON] { at("/results")?.array ?? [] }

    /// Their versions.
    var versions: [Int64] { entries.compactMap { $0["version"]?.int } }

    var isComplete: Bool? { at("/is_complete").map { $0 == true } }

    /// Each entry as `version: field before -> after, …`, with the fields in order.
    var story: [String] {
        entries.map { entry in
            let changes = (entry["changes"]?.object ?? [:]).sorted { $0.key < $1.key }.map { name, change in
                "\(name) \(change["before"]?.text ?? "missing") -> \(change["after"]?.text ?? "missing")"
            }
            return "\(entry["version"]?.text ?? "none"): \(changes.joined(separator: ", "))"
        }
    }
}
