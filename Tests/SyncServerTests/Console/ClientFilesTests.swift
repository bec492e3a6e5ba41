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
    /// The head of an answer, in lower case, without following it.
    private static func head(of path: String, _ server: TestServer, origin: String? = nil) async throws -> String {
        let connection = try await RawConnection(server)
        let origin = origin.map { "Origin: \($0)\r\n" } ?? ""
        await connection.send("GET \(path) HTTP/1.1\r\nHost: t\r\n\(origin)Connection: close\r\n\r\n")
        return await connection.receivedUntilTheEnd().lowercased()
    }

    /// Where an address leads.
    private static func place(
        _ server: TestServer, from path: String = "/client/index.js"
    ) async throws -> String {
        let head = try await head(of: path, server)
        #expect(head.hasPrefix("http/1.1 307 "), "\(path)")
        return String(try #require(head.firstMatch(of: /\r\nlocation: (.*?)\r\n/)).output.1)
    }

    @Test func theModuleIsFoundByItsBuild() async throws {
        let scene = try await Scene()
        let stranger = scene.stranger
        let head = try await Self.head(of: "/client/index.js", scene.server)
        #expect(head.contains("\r\ncache-control: no-cache\r\n"))
        #expect(head.contains("\r\naccess-control-allow-origin: *\r\n"))
        let place = try await Self.place(scene.server)
        #expect(place.contains(/^\/client\/[0-9a-f]{16}\/index\.js$/))
        let module = try await stranger.send("GET", place)
        #expect(module.status == 200 && module.text.contains("export"))
        #expect(module.header("Content-Type") == "text/javascript; charset=utf-8")
        #expect(module.header("Cache-Control") == "public, max-age=31536000, immutable")
    }

    /// Not the console's: its files are for its own page alone.
    @Test func itsFilesAreForAllOrigins() async throws {
        let server = try await Scene().server
        for path in ["/client/index.js", try await Self.place(server)] {
            let head = try await Self.head(of: path, server, origin: "https://app.example.org")
            #expect(head.contains("\r\naccess-control-allow-origin: *\r\n"), "\(path)")
            #expect(head.contains("\r\nx-content-type-options: nosniff\r\n"), "\(path)")
            for name in ["content-security-policy", "cross-origin-resource-policy"] {
                #expect(!head.contains(name), "\(name) of \(path)")
            }
        }
    }

    /// A listed origin may read them, too, and is told once.
    @Test func aListedOriginIsToldOnce() async throws {
        var edge = Edge.patient
        edge.origins = try Origins("https://app.example.org")
        let scene = try await Scene(edge: edge)
        let head = try await Self.head(of: "/client/index.js", scene.server, origin: "https://app.example.org")
        #expect(head.matches(of: /\r\naccess-control-allow-origin: (?:\*|https:\/\/app\.example\.org)\r\n/).count == 1)
        #expect(head.matches(of: /access-control-allow-origin/).count == 1)
    }

    /// A service worker keeps what is listed, and an app needs nothing else.
    @Test func theListOfTheBuildHasEveryModule() async throws {
        let scene = try await Scene()
        let head = try await Self.head(of: "/client/build.json", scene.server)
        #expect(head.contains("\r\ncache-control: no-cache\r\n"))
        #expect(head.contains("\r\naccess-control-allow-origin: *\r\n"))
        let list = try JSON(parsing: Data(try await scene.stranger.send("GET", "/client/build.json").text.utf8))
        let build = try #require(list["build"]?.string)
        #expect(try await Self.place(scene.server) == "/client/\(build)/index.js")
        let files = list["files"]?.array?.compactMap(\.string) ?? []
        #expect(files.contains("index.js") && files.contains("lib/store/judging.js") && files.count > 40)
        for file in files {
            #expect(try await scene.stranger.send("GET", "/client/\(build)/\(file)").status == 200, "\(file)")
        }
    }

    /// Follows the imports from the module, so an app finds every file.
    @Test func everyModuleIsThere() async throws {
        let scene = try await Scene()
        let stranger = scene.stranger
        let first = try await Self.place(scene.server)
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
        let scene = try await Scene()
        let place = try await Self.place(scene.server, from: "/client/lib/order/index.js")
        #expect(try await scene.stranger.send("GET", place).status == 200)
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
        let place = try await Self.place(server, from: "/sync/client/index.js")
        #expect(place.hasPrefix("/sync/client/"))
        #expect(try await owner.send("GET", place).status == 200)
    }
}
