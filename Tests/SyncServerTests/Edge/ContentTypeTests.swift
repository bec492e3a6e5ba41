import Foundation
import SyncProtocol
import SyncTestKit
import Testing

/// `Content-Type`, `Content-Encoding` and `Accept`.
@Suite struct ContentTypeTests {
    private func upload(_ headers: [String: String]) async throws -> Answer {
        let member = try await Scene().client(.member)
        return try await member.send("POST", member.syncPath, Batch.empty.data, headers: headers)
    }

    @Test(arguments: [
        "application/json", "application/json; charset=utf-8", "Application/JSON", "application/vnd.plan+json",
        "text/plain;charset=UTF-8", "text/json",
    ])
    func aBodyThatIsSaidToBeJSONIsTaken(type: String) async throws {
        #expect(try await upload(["Content-Type": type]).status == 200)
    }

    @Test(arguments: [
        "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/xml", "json",
        "application/jsonp",
    ])
    func aBodyThatIsSaidToBeSomethingElseIsRefused(type: String) async throws {
        let answer = try await upload(["Content-Type": type])
        #expect(answer.status == 415)
        #expect(answer.code == "unsupported_media_type")
    }

    @Test func aBodyOfWhichNothingIsSaidIsJSON() async throws {
        let scene = try await Scene()
        let connection = try await RawConnection(scene.server)
        let token = try #require(try await scene.client(.member).token)
        await connection.send(
            "POST /projects/p1/sync/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Length: \(Batch.empty.data.count)\r\n\r\n\(Batch.empty.text)")
        #expect(await connection.received(until: "applied").hasPrefix("HTTP/1.1 200 "))
    }

    @Test(arguments: ["gzip", "GZIP", "br", "gzip, identity"]) func anEncodedBodyIsNotUnpacked(encoding: String)
        async throws
    {
        let answer = try await upload(["Content-Encoding": encoding])
        #expect(answer.status == 415)
        #expect(answer.code == "unsupported_content_encoding")
    }

    @Test(arguments: [
        "*/*", "application/json", "application/*", "text/html, */*;q=0.1", "APPLICATION/JSON;q=0.2",
        "application/json; charset=utf-8", "", "text/html;q=0, application/json", "nonsense",
    ])
    func whatIsAcceptedIsAnswered(accept: String) async throws {
        let member = try await Scene().client(.member)
        #expect(try await member.page(headers: ["Accept": accept]).status == 200)
    }

    @Test(arguments: [
        "text/html", "application/xml, text/*", "application/json;q=0", "*/*;q=0", "application/json;q=0, */*",
        "application/*;q=0, */*",
    ])
    func whatIsNotAcceptedIsRefusedByAProblemDocument(accept: String) async throws {
        let member = try await Scene().client(.member)
        let answer = try await member.page(headers: ["Accept": accept])
        #expect(answer.status == 406)
        #expect(answer.code == "not_acceptable")
        #expect(answer.header("Content-Type") == "application/problem+json")
    }

    @Test func eachEndpointHasATypeOfItsOwn() async throws {
        let stranger = try await Scene().stranger
        #expect(try await stranger.send("GET", "/docs/", headers: ["Accept": "text/html"]).status == 200)
        #expect(try await stranger.send("GET", "/docs/", headers: ["Accept": "application/json"]).status == 406)
        #expect(try await stranger.send("GET", "/openapi.json", headers: ["Accept": "text/html"]).status == 406)
    }

    @Test func credentialsAreJudgedBeforeTypes() async throws {
        let stranger = try await Scene().stranger
        #expect(try await stranger.page(headers: ["Accept": "text/html"]).status == 401)
    }

    /// The answer to a delete has no body, so any `Accept` allows it.
    @Test func anAnswerWithoutABodyIsAcceptedByAll() async throws {
        let scene = try await Scene()
        try await scene.insertTasks(["t1"])
        let member = try await scene.client(.owner)
        let question = try await member.send("DELETE", "/tasks/t1/?dry_run=true", headers: ["Accept": "text/html"])
        #expect(question.status == 406, "\(question.text)")
        let answer = try await member.send("DELETE", "/tasks/t1/", headers: ["Accept": "text/html"])
        #expect(answer.status == 204, "\(answer.text)")
    }
}
