import SyncProtocol
import Testing

/// `GET /`: the page for people who know only the server's address.
@Suite struct FrontDoorTests {
    private static let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"

    @Test(arguments: ["/", "/api/v1/", "/api/v1"]) func aBrowserIsLedToTheConsole(path: String) async throws {
        let scene = try await Scene()
        let answer = try await scene.stranger.send("GET", path, headers: ["Accept": Self.browser])
        #expect(answer.header("Content-Type") == "text/html; charset=utf-8")
        #expect(answer.text.contains("<title>Tidemark</title>"))
    }

    @Test func theRedirectNamesThePlaceAndIsNotKeptForPrograms() async throws {
        let scene = try await Scene()
        let connection = try await RawConnection(scene.server)
        await connection.send("GET / HTTP/1.1\r\nHost: t\r\nAccept: \(Self.browser)\r\nConnection: close\r\n\r\n")
        let answer = await connection.receivedUntilTheEnd().lowercased()
        #expect(answer.hasPrefix("http/1.1 303 "))
        #expect(answer.contains("\r\nlocation: /console/\r\n"))
        #expect(answer.contains("accept-encoding, accept"))
    }

    @Test(arguments: ["*/*", "application/json", "application/json, text/html;q=0.5", ""])
    func aProgramGetsTheHealthDocument(accept: String) async throws {
        let scene = try await Scene()
        let health = try await scene.stranger.send("GET", "/health/")
        let answer = try await scene.stranger.send("GET", "/", headers: ["Accept": accept])
        #expect(answer.status == 200)
        #expect(answer.json == health.json)
        #expect(answer.header("Vary") == "Accept-Encoding, Accept")
    }
}
