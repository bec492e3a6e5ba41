import Foundation
import NIOHTTP1
import SyncAccounts
import SyncProtocol
import SyncSchema
@testable import SyncServer
import SyncStore
import SyncTestKit
import Testing

/// Requests from web pages of other origins, as browsers send them.
@Suite struct CrossOriginTests {
    private static let app = "https://app.example.org"
    private static let other = "http://localhost:5173"
    private static let names = [
        "Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "Access-Control-Allow-Methods",
        "Access-Control-Allow-Headers", "Access-Control-Max-Age",
    ]

    private func scene(settings: SyncSettings = SyncSettings()) async throws -> Scene {
        var edge = Edge.patient
        edge.origins = try Origins("\(Self.app), \(Self.other)")
        return try await Scene(settings: settings, edge: edge)
    }

    private func preflight(_ client: Client, _ path: String, origin: String, method: String = "POST") async throws
        -> Answer
    {
        let headers = [
            "Origin": origin, "Access-Control-Request-Method": method,
            "Access-Control-Request-Headers": "authorization,content-type",
        ]
        return try await client.send("OPTIONS", path, headers: headers)
    }

    private func list(_ answer: Answer, _ name: String) -> Set<String> {
        Set((answer.header(name) ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
    }

    @Test(arguments: [
        "/api/v1/projects/p1/sync/", "/projects/", "/tasks/t1/", "/auth/token/", "/health/", "/nope/",
    ]) func aPreflightIsAnsweredBeforeAnybodyIsAskedWhoTheyAre(path: String) async throws {
        let scene = try await scene()
        let answer = try await preflight(scene.stranger, path, origin: Self.app, method: "PATCH")
        #expect(answer.status == 204)
        #expect(answer.body.isEmpty)
        #expect(answer.header("Access-Control-Allow-Origin") == Self.app)
        #expect(
            list(answer, "Access-Control-Allow-Methods") == [
                "GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE",
            ])
        #expect(
            list(answer, "Access-Control-Allow-Headers").isSuperset(of: ["Authorization", "Content-Type", "If-Match"]))
        #expect(answer.header("Access-Control-Max-Age") == "7200")
        #expect(list(answer, "Vary").contains("Origin"))
    }

    /// A page that can't read why it was refused can only show that something failed.
    @Test func refusalsCanBeReadToo() async throws {
        var settings = SyncSettings()
        settings.uploadRatePerUser = 1
        let scene = try await scene(settings: settings)
        let member = try await scene.client(.member)
        let origin = ["Origin": Self.app]
        func ask(
            _ client: Client, _ method: String, _ path: String, _ body: Data? = nil, _ more: [String: String] = [:]
        )
            async throws -> Answer
        {
            try await client.send(method, path, body, headers: origin.merging(more) { $1 })
        }
        let large = Data(repeating: 0x20, count: (16 << 20) + 1)
        func batch(_ number: Int) -> Data {
            Data("{\"client_batch_id\": \"5f1b0a54-6c1b-4b0e-9c0e-0b8c3e1d7a1\(number)\", \"changes\": {}}".utf8)
        }
        _ = try await member.send("POST", member.syncPath, batch(1))
        let answers = [
            (401, try await ask(scene.stranger, "GET", "/projects/")), (404, try await ask(member, "GET", "/nope/")),
            (405, try await ask(member, "PUT", "/projects/")),
            (413, try await ask(member, "POST", member.syncPath, large)),
            (429, try await ask(member, "POST", member.syncPath, batch(2))),
            (406, try await ask(member, "GET", "/projects/", nil, ["Accept": "image/png"])),
            (400, try await ask(member, "GET", "/projects/?x=1")),
            (400, try await ask(member, "GET", "/projects/", nil, ["X-Long": String(repeating: "x", count: 40_000)])),
            (415, try await ask(member, "POST", member.syncPath, batch(3), ["Content-Type": "text/xml"])),
            (414, try await ask(member, "GET", "/projects/?x=" + String(repeating: "x", count: 9000))),
            (200, try await ask(member, "GET", "/docs/")), (200, try await ask(member, "GET", "/schemas/")),
            (304, try await ask(member, "GET", "/openapi.json", nil, ["If-None-Match": "*"])),
            (200, try await ask(member, "GET", member.syncPath + "?stream=true")),
            (200, try await ask(member, "HEAD", "/projects/")),
        ]
        for (status, answer) in answers {
            #expect(answer.status == status)
            #expect(answer.header("Access-Control-Allow-Origin") == Self.app, "\(status)")
            #expect(
                list(answer, "Access-Control-Expose-Headers").isSuperset(of: ["Date", "Retry-After", "X-Request-Id"]),
                "\(status)")
            #expect(list(answer, "Vary").contains("Origin"), "\(status)")
            #expect(answer.header("Access-Control-Allow-Credentials") == nil)
        }
    }

    @Test(arguments: [
        "http://app.example.org", "https://app.example.org:443", "https://app.example.org:8443",
        "https://app.example.org/",
        "https://app.example.org.evil.example", "https://evil.example", "https://APP.example.org", "null", "*", "",
        "https://app.example.org, http://localhost:5173", "http://localhost",
    ]) func anotherOriginIsAnsweredAsIfNobodyHadAsked(origin: String) async throws {
        let scene = try await scene()
        let member = try await scene.client(.member)
        let asked = try await member.send("GET", "/projects/", headers: ["Origin": origin])
        #expect(asked.status == 200)
        let preflight = try await preflight(scene.stranger, "/projects/", origin: origin)
        #expect(preflight.status == 401)
        for answer in [asked, preflight] {
            for name in Self.names { #expect(answer.header(name) == nil, "\(name)") }
            #expect(list(answer, "Vary").contains("Origin"))
        }
    }

    /// OPTIONS without `Access-Control-Request-Method` is not a preflight.
    @Test func optionsAloneIsRefusedAsEver() async throws {
        let scene = try await scene()
        let answer = try await scene.client(.member).send("OPTIONS", "/projects/", headers: ["Origin": Self.app])
        #expect(answer.status == 405)
        #expect(answer.header("Access-Control-Allow-Origin") == Self.app)
    }

    /// Pages and documents are cached for everybody, but the headers about the origin are not.
    @Test(arguments: ["", "?stream=true"]) func whatIsSharedNamesNobodysOrigin(query: String) async throws {
        let scene = try await scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.member)
        for _ in 0..<2 {
            for path in [member.syncPath + query, "/openapi.json"] {
                for origin in [Self.app, Self.other, nil] {
                    let headers = origin.map { ["Origin": $0] } ?? [:]
                    let answer = try await member.send("GET", path, headers: headers)
                    #expect(answer.headers["Access-Control-Allow-Origin"] == (origin.map { [$0] } ?? []))
                    #expect(list(answer, "Vary") == ["Accept-Encoding", "Origin"])
                }
            }
        }
    }

    @Test func withoutTheSettingNothingIsSaidOfOrigins() async throws {
        let scene = try await Scene()
        let member = try await scene.client(.member)
        let answer = try await member.send("GET", "/projects/", headers: ["Origin": Self.app])
        let preflight = try await preflight(scene.stranger, "/projects/", origin: Self.app)
        #expect(preflight.status == 401)
        for answer in [answer, preflight] {
            for name in Self.names { #expect(answer.header(name) == nil, "\(name)") }
            #expect(answer.header("Vary") == "Accept-Encoding")
        }
    }

    @Test func everyHeaderOfTheAPICanBeSentAndRead() throws {
        for endpoint in Endpoint.served(try Registry.builtIn()) {
            #expect(CrossOrigin.methods.contains(endpoint.method))
            for parameter in endpoint.parameters where parameter.place == .header {
                #expect(CrossOrigin.requestHeaders.contains(parameter.name), "\(parameter.name)")
            }
            for header in endpoint.answers.flatMap(\.headers) {
                #expect(CrossOrigin.answerHeaders.contains(header.name), "\(header.name)")
            }
        }
    }
}
