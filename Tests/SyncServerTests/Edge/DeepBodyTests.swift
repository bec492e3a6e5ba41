import HTTPTypes
import SyncProtocol
import SyncTestKit
import Testing

@testable import SyncServer

/// JSON with 100,000 levels, for every endpoint that takes a body.
@Suite struct DeepBodyTests {
    @Test(arguments: [("[", "]"), ("{\"a\":", "}"), ("[", "")])
    func noEndpointTakesIt(opening: String, closing: String) async throws {
        let scene = try await Scene()
        let owner = try await scene.client(.owner)
        func body(_ levels: Int) -> String {
            String(repeating: opening, count: levels) + "1" + String(repeating: closing, count: levels)
        }
        let endpoints = Endpoint.served(scene.registry).filter { $0.body != nil }
        #expect(endpoints.count > 20)
        for endpoint in endpoints {
            let path = endpoint.path.replacing("{project}", with: "p1").replacing("{id}", with: "1")
            // As many as 16 KiB hold, where no token is needed.
            let body = body(endpoint.isOpen ? 2000 : 100_000)
            let answer = try await owner.send(endpoint.method.rawValue, path, body.data)
            #expect(answer.status == 400 && answer.code == "invalid_json", "\(endpoint.id): \(answer.text)")
        }
    }
}
