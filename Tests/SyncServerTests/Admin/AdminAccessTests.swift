import Foundation
import SyncProtocol
import SyncTestKit
import Testing

@testable import SyncServer

/// Every endpoint below `/admin/` that the document lists is for superusers. A new one is tried without being named
/// here.
@Suite struct AdminAccessTests {
    private struct Call {
        let method: String
        let path: String
        let body: JSON?
    }

    /// What says what is asked for.
    private static let named: Set<String> = ["user", "collection", "id"]

    /// One call of each operation, with the parameters that it needs and the body of its example.
    private static func calls(_ document: JSON) throws -> [Call] {
        let paths = try #require(document["paths"]?.object).filter { $0.key.hasPrefix("/admin/") }
        return try paths.flatMap { path, item in
            try #require(item.object).filter { $0.key != "parameters" }.map { method, operation in
                let parameters = (operation["parameters"]?.array ?? []) + (item["parameters"]?.array ?? [])
                let query = parameters.filter { $0["in"] == "query" }.compactMap { $0["name"]?.string }
                    .filter(named.contains).sorted().map { "\($0)=1" }.joined(separator: "&")
                return Call(
                    method: method.uppercased(),
                    path: path.replacing(/\{\w+\}/, with: "1") + (query.isEmpty ? "" : "?" + query),
                    body: operation.at("/requestBody/content")?["application/json"]?["example"])
            }
        }
    }

    @Test func nobodyButASuperuserIsAnswered() async throws {
        let scene = try await Scene()
        let cast = try await scene.cast()
        let calls = try Self.calls(try await scene.stranger.send("GET", "/openapi.json").json)
        #expect(calls.count >= 18)
        for call in calls {
            for (who, client) in cast where who != .superuser {
                let answer = try await client.send(call.method, call.path, call.body?.data)
                #expect(
                    answer.code == (who == .anonymous ? "unauthorized" : "forbidden"),
                    "\(who): \(call.method) \(call.path): \(answer.status) \(answer.text)")
            }
        }
    }
}
