import Crypto
import Foundation
import HTTPTypes
import SyncProtocol
import SyncSchema
import SyncTestKit
import Testing

@testable import SyncServer

/// `/openapi.json` and `/docs/`, and whether they agree with the routes.
@Suite struct DescriptionTests {
    @Test func everyRouteIsInTheDocumentAndNothingElse() async throws {
        let scene = try await Scene()
        let server = try await SyncServer(Services(store: scene.bench.store, registry: scene.registry))
        let described = Endpoint.served(scene.registry).map(\.route)
        #expect(described.sorted() == server.routed.map(\.route).sorted())
    }

    @Test func everyOperationOfTheServedDocumentAnswersAndAsksForATokenWhereItSays() async throws {
        let scene = try await Scene()
        let document = try await scene.stranger.send("GET", "/openapi.json").json
        for (path, operations) in try #require(document["paths"]?.object) {
            for (method, operation) in try #require(operations.object) {
                let concrete = path.replacing("{project}", with: "p1").replacing("{id}", with: "t1")
                let answer = try await scene.stranger.send(method.uppercased(), "/api/v1" + concrete)
                let isOpen = operation["security"] == []
                #expect((answer.status == 401) == !isOpen, "\(method) \(path): \(answer.status)")
                #expect(answer.status != 404 && answer.status != 405, "\(method) \(path)")
            }
        }
    }

    @Test(arguments: ["/openapi.json", "/api/v1/openapi.json", "/docs/", "/docs", "/api/v1/docs/"])
    func theDescriptionIsOpenTaggedAndNotSentTwice(path: String) async throws {
        let scene = try await Scene()
        let first = try await scene.stranger.send("GET", path)
        #expect(first.status == 200)
        let tag = try #require(first.header("ETag"))
        for known in [tag, "\"other\", \(tag)", "*"] {
            let second = try await scene.stranger.send("GET", path, headers: ["If-None-Match": known])
            #expect(second.status == 304)
            #expect(second.body.isEmpty)
            #expect(second.header("ETag") == tag)
        }
        #expect(try await scene.stranger.send("GET", path, headers: ["If-None-Match": "\"other\""]).status == 200)
        let head = try await scene.stranger.send("HEAD", path)
        #expect(head.body.isEmpty)
        #expect(head.header("Content-Length") == first.header("Content-Length"))
    }

    @Test func theDocumentIsTheOneOfTheServedCollections() async throws {
        let scene = try await Scene()
        let answer = try await scene.stranger.send("GET", "/openapi.json")
        #expect(answer.header("Content-Type") == "application/json; charset=utf-8")
        #expect(answer.json == OpenAPIDocument(scene.registry).json)
        let packed = try await scene.stranger.send(
            "GET", "/openapi.json", headers: ["Accept-Encoding": "gzip"], unpacks: true)
        #expect(packed.json == answer.json)
    }

    @Test func thePageNamesEveryOperationAndEveryCode() async throws {
        let scene = try await Scene()
        let page = try await scene.stranger.send("GET", "/docs/")
        #expect(page.header("Content-Type") == "text/html; charset=utf-8")
        for endpoint in Endpoint.served(scene.registry) {
            #expect(page.text.contains("<article id=\"\(endpoint.id)\">"))
            #expect(page.text.contains("$TIDEMARK/api/v1"))
            for code in endpoint.codes { #expect(page.text.contains("<a href=\"#code-\(code.rawValue)\">")) }
        }
    }

    @Test func thePageSaysOfEveryCodeWhatToDo() async throws {
        let scene = try await Scene()
        let page = try await scene.stranger.send("GET", "/docs/").text
        for code in ErrorCode.allCases {
            let meaning = try #require(ErrorCode.meanings[code], "\(code) has no doc comment")
            #expect(meaning.hasSuffix("."))
            #expect(page.contains(HTML(prose: meaning).source))
        }
    }

    @Test func thePageLoadsNothingAndRunsItsOwnScriptAlone() async throws {
        let scene = try await Scene()
        let page = try await scene.stranger.send("GET", "/docs/")
        let policy = try #require(page.header("Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; style-src 'sha256-"))
        let script = try #require(page.text.firstMatch(of: /(?s)<script>(.*?)<\/script>/)).output.1
        let digest = Data(SHA256.hash(data: Data(script.utf8))).base64EncodedString()
        #expect(policy.contains("; script-src 'sha256-\(digest)'; "))
        #expect(page.text.matches(of: /<script/).count == 1)
        #expect(page.header("X-Content-Type-Options") == "nosniff")
        for way in [
            "<link", "<img", "<iframe", "src=", "url(", "@import", "href=\"http", "style=\"", "onclick", "unsafe",
            "fetch(", "eval(",
        ] {
            #expect(!page.text.contains(way), "\(way)")
        }
    }

    @Test func everyLinkOfThePageLeadsToAPlaceOnIt() async throws {
        let scene = try await Scene()
        let text = try await scene.stranger.send("GET", "/docs/").text
        let places = Set(text.matches(of: /id="([^"]+)"/).map { String($0.output.1) })
        let links = text.matches(of: /href="#([^"]+)"/).map { String($0.output.1) }
        #expect(links.count > 20)
        #expect(places.count == text.matches(of: /id="/).count, "an id is there twice")
        for link in links { #expect(places.contains(link), "\(link)") }
    }

    /// A newcomer needs these two first.
    @Test func thePageBeginsWithPullAndUpload() async throws {
        let scene = try await Scene()
        let text = try await scene.stranger.send("GET", "/docs/").text
        let ids = text.matches(of: /<article id="([^"]+)"/).map { String($0.output.1) }
        #expect(Array(ids.prefix(2)) == ["pull", "upload"])
    }

    @Test func textIsEscaped() {
        let hostile = "<b onclick='x'>\"&"
        let page: HTML = "<p title=\"\(hostile)\">\(HTML(prose: "`\(hostile)`"))</p>"
        let escaped = "&lt;b onclick=&#39;x&#39;&gt;&quot;&amp;"
        #expect(page.source == "<p title=\"\(escaped)\"><code>\(escaped)</code></p>")
    }
}

extension Endpoint {
    fileprivate var route: String { "\(method.rawValue) \(path) \(id)" }
}
