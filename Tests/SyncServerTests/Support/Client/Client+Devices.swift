import SyncProtocol

extension Client {
    /// The headers of a device.
    static func device(
        _ id: String = "d", name: String? = nil, version: String? = nil, digest: String? = nil
    ) -> [String: String] {
        var headers = ["Tidemark-Device-Id": id]
        headers["Tidemark-Device-Name"] = name
        headers["Tidemark-App-Version"] = version
        headers["Tidemark-Digest"] = digest
        return headers
    }

    /// A pull from a watermark by a device.
    @discardableResult
    func pull(since: Int64 = 0, as device: [String: String]) async throws -> Answer {
        try await page(["since": String(since)], headers: device)
    }

    /// The entries of `GET /devices/`.
    func devices(_ query: String = "") async throws -> [JSON] {
        try await send("GET", "/api/v1/devices/\(query)").at("/results")?.array ?? []
    }

    /// The entries of `GET /projects/{project}/devices/`.
    func projectDevices(_ query: String = "") async throws -> [JSON] {
        try await send("GET", "/api/v1/projects/\(project)/devices/\(query)").at("/results")?.array ?? []
    }
}
