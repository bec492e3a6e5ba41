import SyncProtocol
import SyncSchema
@testable import SyncServer
import SyncTestKit
import Testing

/// The server accepts the examples in its own OpenAPI document and docs page.
@Suite struct ExampleTests {
    private func operation(_ scene: Scene, _ path: String, _ method: String) async throws -> JSON {
        let document = try await scene.stranger.send("GET", "/openapi.json").json
        return try #require(document["paths"]?[path]?[method])
    }

    private func body(_ operation: JSON) throws -> JSON {
        try #require(operation.at("/requestBody/content")?["application/json"]?["example"])
    }

    @Test func theUploadIsTakenAndAnsweredAsItSays() async throws {
        let scene = try await Scene()
        let operation = try await operation(scene, "/projects/{project}/sync/", "post")
        let changes = try body(operation).at("/changes/tasks")
        let updated = try #require(changes?.at("/updated/0/id")?.string)
        let deleted = try #require(changes?.at("/deleted/0")?.string)
        try await scene.insertTasks([updated, deleted])
        let member = try await scene.client(.member)
        let answer = try await member.send("POST", member.syncPath, try body(operation).data)
        #expect(answer.status == 200, "\(answer.text)")
        var said = try #require(operation.at("/responses/200/content")?["application/json"]?["example"]?.object)
        said["timestamp"] = answer.at("/timestamp")
        #expect(answer.json == .object(said))
        let page = try await scene.stranger.send("GET", "/docs/").text
        for json in try [body(operation), .object(said.merging(["timestamp": 57]) { $1 })] {
            #expect(page.contains(HTML(text: json.prettyText).source))
        }
    }

    @Test func thePullShowsARowOfEveryField() async throws {
        let scene = try await Scene()
        let operation = try await operation(scene, "/projects/{project}/sync/", "get")
        let page = operation.at("/responses/200/content")?["application/json"]?["example"]
        let row = try #require(page?.at("/changes/tasks/updated/0")?.object)
        let names = try #require(scene.registry["tasks"]).fields.map(\.name) + ["id", "server_version"]
        #expect(Set(row.keys) == Set(names))
    }

    /// An example may fail only for reasons that a schema can't express, such as which row a reference names.
    @Test func theBodyOfEveryCreateIsWellFormed() async throws {
        let scene = try await Scene()
        let owner = try await scene.client(.owner)
        for collection in scene.registry.collections where collection.scope == .ordinary {
            let operation = try await operation(scene, "/projects/{project}/\(collection.name)/", "post")
            let answer = try await owner.create(collection.name, try body(operation))
            let codes = Set((answer.at("/errors")?.array ?? []).compactMap { $0["code"]?.string })
            #expect(
                answer.status == 201 || codes.isSubset(of: ["unknown_reference", "unknown_user"]) && !codes.isEmpty,
                "\(collection.name): \(answer.text)")
        }
    }
}
