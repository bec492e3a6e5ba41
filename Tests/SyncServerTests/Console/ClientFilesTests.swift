import Foundation
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

@testable import SyncServer

/// `/client/`: the client for browsers, for apps of any origin.
@Suite struct ClientFilesTests {
    private static func place(_ client: Client) async throws -> String {
        try #require(try await client.send("GET", "/client/index.js").header("Location"))
    }

    @Test func theModuleIsFoundByItsBuild() async throws {
        let stranger = try await Scene().stranger
        let redirect = try await stranger.send("GET", "/client/index.js")
        #expect(redirect.status == 307)
        #expect(redirect.header("Cache-Control") == "no-cache")
        #expect(redirect.header("Access-Control-Allow-Origin") == "*")
        let place = try #require(redirect.header("Location"))
        #expect(place.contains(/^\/client\/[0-9a-f]{16}\/index\.js$/))
        let module = try await stranger.send("GET", place)
        #expect(module.status == 200 && module.text.contains("export"))
        #expect(module.header("Content-Type") == "text/javascript; charset=utf-8")
        #expect(module.header("Cache-Control") == "public, max-age=31536000, immutable")
    }

    /// Not the console's: its files are for its own page alone.
    @Test func itsFilesAreForAllOrigins() async throws {
        let stranger = try await Scene().stranger
        for path in ["/client/index.js", try await Self.place(stranger)] {
            let answer = try await stranger.send("GET", path, headers: ["Origin": "https://app.example.org"])
            #expect(answer.header("Access-Control-Allow-Origin") == "*")
            #expect(answer.header("X-Content-Type-Options") == "nosniff")
            for name in ["Content-Security-Policy", "Cross-Origin-Resource-Policy"] {
                #expect(answer.header(name) == nil, "\(name) of \(path)")
            }
        }
    }

    /// A listed origin may read them, too, and is told once.
    @Test func aListedOriginIsToldOnce() async throws {
        var edge = Edge.patient
        edge.origins = try Origins("https://app.example.org")
        let scene = try await Scene(edge: edge)
        let headers = ["Origin": "https://app.example.org"]
        let answer = try await scene.stranger.send("GET", "/client/index.js", headers: headers)
        let allowed = answer.header("Access-Control-Allow-Origin")
        #expect(["*", "https://app.example.org"].contains(allowed))
    }

    /// Follows the imports from the module, so an app finds every file.
    @Test func everyModuleIsThere() async throws {
        let stranger = try await Scene().stranger
        let first = try await Self.place(stranger)
        var (reached, next): (Set<String>, [String]) = ([first], [first])
        while let place = next.popLast() {
            let answer = try await stranger.send("GET", place)
            #expect(answer.status == 200, "\(place)")
            let pattern = /(?:from '|import\('|^import ')((?:\.{1,2}\/)[\w\/.-]+\.js)'/
            for match in answer.text.matches(of: pattern.anchorsMatchLineEndings()) {
                let module = URL(filePath: String(match.output.1), relativeTo: URL(filePath: place))
                    .standardizedFileURL.path()
                if reached.insert(module).inserted { next.append(module) }
            }
        }
        #expect(reached.count > 30)
    }

    @Test(arguments: ["nothing.js", "0123456789abcdef/index.js", "../console/app.js", "lib/", "app.js"])
    func nothingElseIsServed(name: String) async throws {
        let answer = try await Scene().stranger.send("GET", "/client/\(name)")
        #expect(answer.status == 404 && answer.code == "not_found")
    }

    @Test func otherModulesHaveAStableAddress() async throws {
        let stranger = try await Scene().stranger
        let redirect = try await stranger.send("GET", "/client/lib/order/index.js")
        #expect(redirect.status == 307)
        #expect(try await stranger.send("GET", #require(redirect.header("Location"))).status == 200)
    }

    /// A schema may have had a collection `client` before the server had modules of that name.
    @Test func aCollectionOfThatNameKeepsItsPath() async throws {
        let registry = try Documents.registry { $0.add("client", ["text": ["type": "string"]], required: ["text"]) }
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        let server = try await TestServer(bench.store, registry, in: TemporaryFolder(), clock: .system)
        let token = try await bench.accounts.createToken(for: "owner-p1", name: "test")
        let owner = Client(server: server, project: "p1", token: token)
        #expect(try await owner.create("client", ["id": "index.js", "text": "T"]).status == 201)
        #expect(try await owner.read("client", "index.js").at("/text") == "T")
        let place = try #require(try await owner.send("GET", "/sync/client/index.js").header("Location"))
        #expect(place.hasPrefix("/sync/client/"))
        #expect(try await owner.send("GET", place).status == 200)
    }
}
