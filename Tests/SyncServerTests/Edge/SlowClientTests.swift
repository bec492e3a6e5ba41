import NIOCore
import SyncProtocol
import SyncServer
import SyncTestKit
import Testing

/// Clients that keep the server waiting, over sockets and with short deadlines.
@Suite(.timeLimit(.minutes(30))) struct SlowClientTests {
    private func scene(_ change: (inout EdgeLimits) -> Void) async throws -> Scene {
        var edge = Edge.patient
        change(&edge.limits)
        return try await Scene(edge: edge)
    }

    @Test(arguments: ["", "G", "GET /health/ HTTP/1.1\r\nHost: a\r\nX-Slow: "])
    func whoDoesNotSendAHeadIsClosed(text: String) async throws {
        let scene = try await scene { $0.idle = .milliseconds(100) }
        let connection = try await RawConnection(scene.server)
        await connection.send(text)
        #expect(await connection.receivedUntilTheEnd().isEmpty)
    }

    @Test(arguments: [true, false]) func whoseBodyDoesNotEndIsClosed(stops: Bool) async throws {
        let scene = try await scene { stops ? ($0.stall = .milliseconds(100)) : ($0.transfer = .milliseconds(100)) }
        let token = try #require(try await scene.client(.member).token)
        let connection = try await RawConnection(scene.server)
        await connection.send(
            "POST /projects/p1/sync/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
                + "Content-Length: 100\r\n\r\n{")
        #expect(await !connection.receivedUntilTheEnd().contains("200 OK"))
    }

    @Test func othersAreServedBesideTwoHundredThatDrip() async throws {
        let scene = try await scene { _ in }
        let member = try await scene.client(.member)
        var slow: [RawConnection] = []
        for _ in 0..<200 {
            slow.append(try await RawConnection(scene.server))
            await slow.last?.send("GET / HTTP/1.1\r\n")
            if slow.count.isMultiple(of: 20) { #expect(try await member.page().status == 200) }
        }
    }

    @Test func twoHundredThatDripAreClosed() async throws {
        let scene = try await scene { $0.idle = .milliseconds(500) }
        var slow: [RawConnection] = []
        for _ in 0..<200 {
            slow.append(try await RawConnection(scene.server))
            await slow.last?.send("GET / HTTP/1.1\r\n")
        }
        for connection in slow { #expect(await connection.receivedUntilTheEnd().isEmpty) }
    }

    /// The only slot is free again once the connection is closed.
    @Test func whoDoesNotReadAnAnswerIsClosed() async throws {
        let scene = try await scene {
            $0.stall = .milliseconds(200)
            $0.connections = 1
        }
        try await scene.insertTasks((1...80).map { "t\($0)" }, ["notes": .string(Scene.filler(100_000))])
        let token = try #require(try await scene.client(.member).token)
        let slow = try await RawConnection(scene.server, readsOnDemand: true)
        // More than the socket buffers of both ends can hold.
        let request = "GET /projects/p1/sync/ HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n\r\n"
        await slow.send(request + request + request)
        try await untilServed(scene)
        await slow.startReading()
        #expect(await slow.receivedUntilTheEnd().utf8.count < 24_000_000)
    }

    @Test func theNewestIsClosedWhereAllConnectionsAreTakenAndOneThatGoesMakesRoom() async throws {
        let scene = try await scene { $0.connections = 2 }
        var taken: [RawConnection] = []
        for _ in 0..<2 {
            taken.append(try await RawConnection(scene.server))
            await taken.last?.send("GET /health/ HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(await taken.last?.received(until: "alive").contains("alive") == true)
        }
        #expect(await (try RawConnection(scene.server)).receivedUntilTheEnd().isEmpty)
        await taken[0].send("GET /health/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        _ = await taken.removeFirst().receivedUntilTheEnd()
        try await untilServed(scene)
    }

    /// Tries until there is a free slot.
    private func untilServed(_ scene: Scene) async throws {
        for _ in 0..<10_000 {
            let connection = try await RawConnection(scene.server)
            await connection.send("GET /health/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            if await connection.receivedUntilTheEnd().contains("alive") { return }
        }
        Issue.record("a connection that should be closed keeps its place")
    }
}
