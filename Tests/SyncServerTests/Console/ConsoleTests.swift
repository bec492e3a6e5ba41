import Foundation
import SyncAccounts
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import Testing

@testable import SyncServer

/// `/console/`: files that are part of the binary.
@Suite struct ConsoleTests {
    @Test func theServerServesThePageAndEveryFileThatTheBuildNames() async throws {
        let scene = try await Scene()
        let page = try await scene.stranger.send("GET", "/console/")
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        let build = try await scene.stranger.send("GET", "/console/build.json").json
        let files = try #require(build["files"]?.array).compactMap(\.string)
        #expect(Set(files).isSuperset(of: ["index.html", "app.js", "tidemark/index.js"]))
        #expect(!files.contains("worker.js"), "A service worker does not keep itself.")
        for file in files + ["worker.js"] {
            let answer = try await scene.stranger.send("GET", "/console/\(file)")
            #expect(answer.status == 200, "\(file)")
            #expect(!answer.body.isEmpty, "\(file)")
        }
    }

    /// Follows `src`, `href`, `import` and `styleSheet` from the page, so no file is missing and none is served for
    /// nothing.
    @Test func everyFileIsReachedFromThePage() async throws {
        let scene = try await Scene()
        var (reached, next): (Set<String>, [String]) = (["index.html"], ["index.html", "worker.js"])
        while let file = next.popLast() {
            let text = try await scene.stranger.send("GET", "/console/\(file)").text
            for name in Self.references(in: text, of: file) where reached.insert(name).inserted { next.append(name) }
        }
        let build = try await scene.stranger.send("GET", "/console/build.json").json
        #expect(reached == Set(try #require(build["files"]?.array).compactMap(\.string)))
    }

    private static func references(in text: String, of file: String) -> [String] {
        let base = URL(filePath: "/\(file)")
        let pattern = /(?:src="|href="|from '|import\('|^import ')((?:\.{1,2}\/)?[\w\/.-]+\.(?:js|css|svg))["']/
        let files = text.matches(of: pattern.anchorsMatchLineEndings()).map {
            String(URL(filePath: String($0.output.1), relativeTo: base).standardizedFileURL.path().dropFirst())
        }
        // The address of a style sheet that comes later is relative to the page.
        return files + text.matches(of: /styleSheet\('([\w.-]+\.css)'\)/).map { String($0.output.1) }
    }

    /// Comments are a quarter of the bytes. Lines keep their numbers, so a stack leads to the place in the tree.
    @Test func commentsAreNotServed() async throws {
        let stranger = try await Scene().stranger
        let tree = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../clients/console/")
        for file in ["worker.js", "lib/elements.js", "lib/shell/start.js", "style.css"] {
            let source = try String(contentsOf: tree.appending(path: file), encoding: .utf8)
                .split(separator: "\n", omittingEmptySubsequences: false)
            let served = try await stranger.send("GET", "/console/\(file)").text
                .split(separator: "\n", omittingEmptySubsequences: false)
            #expect(served.count == source.count, "\(file)")
            for (one, other) in zip(served, source) where !one.isEmpty {
                #expect(one == other.drop { $0 == " " }, "\(file)")
            }
            #expect(!served.contains { $0.contains(/^ *(\/\/|\/\*)/) }, "\(file)")
            #expect(served.count { $0.isEmpty } > source.count { $0.isEmpty }, "\(file)")
        }
    }

    @Test(arguments: ["/console/", "/console/app.js", "/console/worker.js", "/console/build.json"])
    func aFileRunsAndLoadsNothingElse(path: String) async throws {
        let answer = try await Scene().stranger.send("GET", path)
        let policy = try #require(answer.header("Content-Security-Policy"))
        let rules = Set(policy.split(separator: "; ").map(String.init))
        #expect(
            rules.isSuperset(of: [
                "default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'",
                "require-trusted-types-for 'script'", "img-src 'self' blob:",
            ]))
        #expect(!policy.contains("unsafe"))
        #expect(answer.header("X-Content-Type-Options") == "nosniff")
    }

    @Test func aFileIsTaggedCompressedAndNotSentTwice() async throws {
        let stranger = try await Scene().stranger
        let first = try await stranger.send("GET", "/console/app.js")
        let tag = try #require(first.header("ETag"))
        #expect(try await stranger.send("GET", "/console/app.js", headers: ["If-None-Match": tag]).status == 304)
        let packed = try await stranger.send(
            "GET", "/console/app.js", headers: ["Accept-Encoding": "gzip"], unpacks: true)
        #expect(packed.body == first.body)
    }

    @Test(arguments: [
        ("", "text/html"), ("style.css", "text/css"), ("app.js", "text/javascript"), ("icon.svg", "image/svg+xml"),
        ("build.json", "application/json"),
    ])
    func aFileIsAskedForAsWhatItIs(file: String, type: String) async throws {
        let stranger = try await Scene().stranger
        for (accept, status) in [(type, 200), ("*/*", 200), ("text/csv, \(type);q=0.1", 200), ("text/csv", 406)] {
            let answer = try await stranger.send("GET", "/console/\(file)", headers: ["Accept": accept])
            #expect(answer.status == status, "\(accept)")
            if status == 200 { #expect(answer.header("Content-Type")?.hasPrefix(type) == true) }
        }
    }

    @Test(arguments: ["/console", "/api/v1/console/", "/api/v1/console/app.js"])
    func anotherAddressLeadsToThePage(path: String) async throws {
        let connection = try await RawConnection(Scene().server)
        await connection.send("GET \(path) HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n")
        let answer = await connection.receivedUntilTheEnd().lowercased()
        #expect(answer.hasPrefix("http/1.1 308 "))
        #expect(answer.contains("\r\nlocation: /console/\r\n"))
    }

    @Test(arguments: ["nothing.js", "..%2fapp.js", "lib/", "tests/routes.test.js", "package.json"])
    func nothingElseIsServed(name: String) async throws {
        let answer = try await Scene().stranger.send("GET", "/console/\(name)")
        #expect(answer.status == 404)
        #expect(answer.code == "not_found")
    }

    @Test func aFileCantBeWritten() async throws {
        let answer = try await Scene().stranger.send("PUT", "/console/app.js", Data("{}".utf8))
        #expect(answer.status == 405)
        #expect(answer.header("Allow") == "GET, HEAD")
    }

    /// A schema may have had a collection `console` before the server had a page of that name.
    @Test func aCollectionOfThatNameKeepsItsPath() async throws {
        let registry = try Documents.registry { $0.add("console", ["text": ["type": "string"]], required: ["text"]) }
        let bench = try await Workbench(ModelStore(registry: registry), registry)
        let server = try await TestServer(bench.store, registry, in: TemporaryFolder(), clock: .system)
        let token = try await bench.accounts.createToken(for: "owner-p1", name: "test")
        let owner = Client(server: server, project: "p1", token: token)
        #expect(try await owner.create("console", ["id": "app.js", "text": "T"]).status == 201)
        #expect(try await owner.read("console", "app.js").at("/text") == "T")
        let page = try await owner.send("GET", "/sync/console/")
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        #expect(try await owner.send("GET", "/sync/console/app.js").status == 200)
        let door = try await owner.send("GET", "/", headers: ["Accept": "text/html"])
        #expect(door.text == page.text)
    }
}
