import Foundation
import SyncProtocol

@testable import SyncClientCore

/// Serves the project `p` of a server in memory as all projects of its user.
struct AllProjectsServer: Transport {
    let server: FakeServer
    private static let first = Int64(1) << 52

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var request = request
        if let since = URLComponents(string: request.url)?.queryItems?.first(where: { $0.name == "since" })?.value,
            let number = Int64(since)
        {
            request.url.replace("since=\(since)", with: "since=\(max(0, number - Self.first))")
        }
        if request.method == .post {
            var body = try JSON(parsing: request.body).object ?? [:]
            body["last_pulled_at"] = .int((body["last_pulled_at"]?.int ?? 0) - Self.first)
            request.body = Data(JSON.object(body).text.utf8)
        }
        var answer = try await server.send(request)
        guard answer.status == 200, let json = try JSON(parsing: answer.body).object, json["timestamp"] != nil else {
            return answer
        }
        answer.body = Data(JSON.object(request.method == .post ? upload(json) : page(json)).text.utf8)
        if let head = answer.headers["tidemark-head"].flatMap({ Int64($0) }) {
            answer.headers["tidemark-head"] = String(head + Self.first)
        }
        return answer
    }

    private func upload(_ json: [String: JSON]) -> [String: JSON] {
        json.merging(["timestamps": ["p": json["timestamp"] ?? .null], "timestamp": .null]) { $1 }
    }

    private func page(_ json: [String: JSON]) -> [String: JSON] {
        var page = json
        let changes = (json["changes"]?.object ?? [:]).mapValues { buckets in
            JSON.object(
                (buckets.object ?? [:]).mapValues { .array(($0.array ?? []).map(placed)) })
        }
        page["changes"] = .object(changes)
        page["left_projects"] = []
        page["timestamp"] = .int((json["timestamp"]?.int ?? 0) + Self.first)
        if json["next_cursor"] == .null { page["heads"] = ["p": json["timestamp"] ?? .null] }
        page["digest"] = json["digest"].map { ["p": $0] }
        return page
    }

    /// A row with its project. An id as it is.
    private func placed(_ row: JSON) -> JSON {
        row.object.map { .object($0.merging(["project_id": "p"]) { $1 }) } ?? row
    }
}
