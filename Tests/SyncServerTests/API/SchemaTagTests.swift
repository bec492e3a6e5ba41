import SyncProtocol
import SyncTestKit
import Testing

/// The entity tags of `GET /schemas/`: RFC 9110 sections 8.8 and 13.1.2.
@Suite struct SchemaTagTests {
    private func ask(_ client: Client, _ known: String? = nil, gzip: Bool = false) async throws -> Answer {
        var headers: [String: String] = [:]
        if let known { headers["If-None-Match"] = known }
        if gzip { headers["Accept-Encoding"] = "gzip" }
        return try await client.send("GET", "/schemas/", headers: headers)
    }

    @Test func eachFormHasATagOfItsOwn() async throws {
        let viewer = try await Scene().client(.viewer)
        let plain = try await ask(viewer)
        let packed = try await ask(viewer, gzip: true)
        let tag = try #require(plain.header("ETag"))
        let packedTag = try #require(packed.header("ETag"))
        #expect(tag != packedTag)
        #expect([tag, packedTag].allSatisfy { $0.hasPrefix("\"") && $0.hasSuffix("\"") }, "strong ones")
        #expect(packed.header("Content-Encoding") == "gzip" && packed.body.count < plain.body.count)
        #expect(plain.header("Vary")?.contains("Accept-Encoding") == true)
        #expect(plain.header("Cache-Control") == "no-store")
        for (known, own) in [(tag, tag), (packedTag, packedTag)] {
            for gzip in [true, false] {
                let answer = try await ask(viewer, known, gzip: gzip)
                #expect(answer.status == 304 && answer.body.isEmpty)
                #expect(answer.header("ETag") == own, "the one that the client has")
            }
        }
    }

    @Test func listsWeakTagsAndAnAsteriskAreRead() async throws {
        let viewer = try await Scene().client(.viewer)
        let tag = try #require(try await ask(viewer).header("ETag"))
        for known in ["\"other\", \(tag)", "W/\(tag)", "W/\"x\",W/\(tag)", "*", " \(tag) "] {
            #expect(try await ask(viewer, known).status == 304, "\(known)")
        }
        for other in ["\"other\"", "W/\"other\"", String(tag.dropLast()), "\"\(tag)\"", ""] {
            #expect(try await ask(viewer, other).status == 200, "\(other)")
        }
    }

    @Test func headHasTheSameHeaders() async throws {
        let viewer = try await Scene().client(.viewer)
        let get = try await ask(viewer)
        let head = try await viewer.send("HEAD", "/schemas/")
        #expect(head.body.isEmpty)
        for name in ["ETag", "Content-Length", "Content-Type"] { #expect(head.header(name) == get.header(name)) }
    }
}
