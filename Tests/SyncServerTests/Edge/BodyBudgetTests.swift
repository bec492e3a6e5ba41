import Foundation
import HTTPTypes
import NIOCore
import SyncProtocol
import SyncTestKit
import Testing

@testable import SyncServer

/// The memory that request bodies hold, and for how long.
@Suite(.timeLimit(.minutes(30))) struct BodyBudgetTests {
    private static let strangersBody = 16 << 10

    private func scene(bodies: Int, _ change: (inout EdgeLimits) -> Void = { _ in }) async throws -> Scene {
        var edge = Edge.patient
        edge.limits.bodies = bodies
        change(&edge.limits)
        return try await Scene(edge: edge)
    }

    private func head(_ path: String, _ framing: String, token: String? = nil) -> String {
        "POST \(path) HTTP/1.1\r\nHost: a\r\n\(framing)\r\n"
            + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "") + "\r\n"
    }

    private func held(_ scene: Scene) async throws -> Int {
        Int(try #require(try await scene.scrape()["tidemark_http_body_bytes"]))
    }

    private func untilHeld(_ bytes: Int, _ scene: Scene) async throws {
        while try await held(scene) != bytes { await Task.yield() }
    }

    // MARK: Without a token

    /// Every endpoint that takes a body of a stranger, as the route table has them.
    @Test func aBodyOfAStrangerHasSixteenKilobytes() async throws {
        let scene = try await Scene()
        let open = Endpoint.served(scene.registry).filter { $0.isOpen && $0.body != nil }
        #expect(open.count >= 3)
        for endpoint in open {
            for framing in ["Content-Length: \(Self.strangersBody + 1)", "Content-Length: 16000000"] {
                let connection = try await RawConnection(scene.server)
                await connection.send(head(endpoint.path, framing))
                let answer = await connection.received(until: "\"type\"")
                #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(endpoint.id): \(answer)")
                #expect(answer.contains("\"limit\":\(Self.strangersBody)"), "\(endpoint.id): \(answer)")
            }
            let chunked = try await RawConnection(scene.server)
            let chunk = "2000\r\n" + String(repeating: " ", count: 8192) + "\r\n"
            await chunked.send(head(endpoint.path, "Transfer-Encoding: chunked") + chunk + chunk + chunk)
            #expect(await chunked.receivedUntilTheEnd().hasPrefix("HTTP/1.1 413 "), "\(endpoint.id)")
            let whole = Data(repeating: UInt8(ascii: " "), count: Self.strangersBody)
            let answer = try await scene.stranger.send("POST", endpoint.path, whole)
            #expect(answer.code == "invalid_json", "\(endpoint.id): \(answer.text)")
        }
        #expect(try await held(scene) == 0)
    }

    @Test func noRouteWithoutATokenTakesMore() async throws {
        let scene = try await Scene()
        for endpoint in Endpoint.served(scene.registry) where endpoint.method != .get {
            let path = endpoint.path.replacing(/\{[a-z_]+\}/, with: "1")
            let body = Data(repeating: UInt8(ascii: " "), count: 1 << 20)
            let status = try await scene.stranger.send(endpoint.method.rawValue, path, body).status
            #expect(status == (endpoint.isOpen ? 413 : 401), "\(endpoint.id)")
        }
    }

    // MARK: The sum

    @Test func whatIsUnderWayCountsAndIsGivenBack() async throws {
        let scene = try await scene(bodies: 1 << 20)
        let member = try await scene.client(.member)
        let slow = try await RawConnection(scene.server)
        let part = String(repeating: " ", count: 1_000_000)
        await slow.send(head("/projects/p1/sync/", "Content-Length: 1000100", token: member.token) + part)
        try await untilHeld(1_000_000, scene)
        let batch = Batch.empty.text + String(repeating: " ", count: 60_000)
        let refusal = try await member.send("POST", member.syncPath, Data(batch.utf8))
        #expect(refusal.status == 503 && refusal.code == "busy", "\(refusal.text)")
        #expect(refusal.header("Retry-After") != nil)
        await slow.send(Batch.empty.text + String(repeating: " ", count: 100 - Batch.empty.text.utf8.count))
        #expect(await slow.received(until: "applied").contains("HTTP/1.1 200 "))
        try await untilHeld(0, scene)
        #expect(try await member.send("POST", member.syncPath, Data(batch.utf8)).status == 200)
    }

    @Test func strangersDoNotKeepMembersFromUploading() async throws {
        let scene = try await scene(bodies: 1 << 20)
        var strangers: [RawConnection] = []
        for _ in 0..<8 {
            let stranger = try await RawConnection(scene.server)
            await stranger.send(head("/auth/token/", "Content-Length: 16384") + String(repeating: " ", count: 16_000))
            strangers.append(stranger)
        }
        try await untilHeld(128_000, scene)
        let late = try await scene.stranger.send("POST", "/auth/token/", Data(repeating: 32, count: 16_000))
        #expect(late.status == 503)
        #expect(try await scene.client(.member).upload(created: [["id": "t1", "name": "A"]]).status == 200)
        strangers = []
        try await untilHeld(0, scene)
    }

    @Test func aUserHasAQuarterAndOneWholeBodyAtLeast() throws {
        let mebibyte = 1 << 20
        let budget = BodyBudget(100 * mebibyte)
        let leases = (0..<2).map { _ in BodyBudget.Lease(budget, for: .user(1)) }
        try leases[0].take(16 * mebibyte)
        try leases[1].take(9 * mebibyte)
        #expect(throws: Problem.self) { try leases[1].take(1) }
        try BodyBudget.Lease(budget, for: .user(2)).take(16 * mebibyte)
        #expect(budget.held == 25 * mebibyte, "a lease that nobody has any more holds nothing")
        for _ in 0..<2 { leases[0].end() }
        withExtendedLifetime(leases) { #expect(budget.held == 9 * mebibyte) }
        let whole = BodyBudget.Lease(BodyBudget(16 * mebibyte), for: .user(1))
        try whole.take(16 * mebibyte)
        #expect(throws: Problem.self) { try whole.take(1) }
    }

    // MARK: A random run

    /// Clients that finish, hang up, stop until they are cut off, send too much or nonsense, with and without a token,
    /// against a sum that is often reached.
    @Test(arguments: [1, 2, 3] as [UInt64]) func nothingStaysHeld(seed: UInt64) async throws {
        let scene = try await scene(bodies: 600_000) { $0.body = .milliseconds(300) }
        let token = try #require(try await scene.client(.member).token)
        var random = SeededGenerator(seed: seed)
        let clients = (0..<80).map { _ in BodyClient(&random, token: token) }
        await withThrowingTaskGroup(of: Void.self) { group in
            for client in clients { group.addTask { try await client.run(scene.server) } }
        }
        try await untilHeld(0, scene)
        let member = try await scene.client(.member)
        let answer = try await member.upload(created: [["id": "t1", "name": .string(Scene.filler(100))]])
        #expect(answer.status == 200, "seed \(seed): \(answer.text)")
    }
}

/// Somebody who sends a body, or a part of one.
private struct BodyClient: Sendable {
    private enum End: CaseIterable { case complete, hangUp, stop }

    private let head: String
    private let isChunked: Bool
    private let parts: [String]
    private let end: End

    init(_ random: inout SeededGenerator, token: String) {
        let paths = ["/auth/token/", "/auth/logout/", "/projects/p1/sync/", "/projects/p1/risks/"]
        let path = paths.randomElement(using: &random)!
        let size = Int.random(in: 0...200_000, using: &random) >> Int.random(in: 0...8, using: &random)
        isChunked = Bool.random(using: &random)
        end = End.allCases.randomElement(using: &random)!
        let content = Bool.random(using: &random) ? Batch.empty.text : "x"
        let body = content + String(repeating: " ", count: size)
        let asks = Bool.random(using: &random) ? "Expect: 100-continue\r\n" : ""
        let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(body.utf8.count)"
        head = "POST \(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\(asks)\(framing)\r\n\r\n"
        let sent = end == .complete ? body.count : Int.random(in: 0...body.count, using: &random)
        let half = sent / 2
        parts = [String(body.prefix(half)), String(body.dropFirst(half).prefix(sent - half))].filter { !$0.isEmpty }
    }

    func run(_ server: TestServer) async throws {
        let connection = try await RawConnection(server)
        await connection.send(head)
        for part in parts {
            await connection.send(isChunked ? "\(String(part.utf8.count, radix: 16))\r\n\(part)\r\n" : part)
        }
        switch end {
        case .complete:
            if isChunked { await connection.send("0\r\n\r\n") }
            _ = await connection.received(until: "\"")
        case .hangUp: break
        case .stop: _ = await connection.receivedUntilTheEnd()
        }
    }
}
