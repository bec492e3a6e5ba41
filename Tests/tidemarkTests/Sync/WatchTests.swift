import ArgumentParser
import Foundation
import SyncAccounts
import SyncAsyncHTTPClient
import SyncProtocol
import SyncSchema
import SyncStore
import SyncTestKit
import SyncURLSession
import Synchronization
import Testing

@testable import SyncClientCore
@testable import tidemark

/// Watching the real server.
@Suite(.timeLimit(.minutes(30))) struct WatchTests {
    /// Somebody else, who works over REST.
    private func put(_ id: String, _ name: String, on server: ServedProject, _ token: String) async throws {
        let tasks = server.url + "/api/v1/projects/\(server.bench.project)/tasks/"
        let body: JSON = ["id": .string(id), "name": .string(name)]
        let headers = ["Authorization": "Bearer \(token)", "Content-Type": "application/json"]
        let request = TransportRequest(
            method: .post, url: tasks, headers: headers, body: Data(body.text.utf8), timeout: .seconds(60))
        let transport = AsyncHTTPClientTransport()
        let answer: Result<TransportResponse, any Error>
        do { answer = .success(try await transport.send(request)) } catch { answer = .failure(error) }
        try await transport.shutdown()
        #expect(try answer.get().status == 201)
    }

    private func names(_ rows: [JSON]) -> [String: String] {
        Dictionary(uniqueKeysWithValues: rows.map { ($0["id"]?.string ?? "", $0["name"]?.string ?? "") })
    }

    /// Cuts, restarts, lost requests and answers, and edits on both sides. In the end nothing is missed, although no
    /// poll comes within a day, and nothing is edited after the network is sound again.
    @Test(arguments: 1...8 as ClosedRange<UInt64>, [true, false])
    func nothingIsMissed(seed: UInt64, streams: Bool) async throws {
        try await missNothing(seed) { FaultyTransport(to: $0, streams: streams, seed: seed) }
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>) func nothingIsMissedOverURLSession(seed: UInt64) async throws {
        try await missNothing(seed) {
            FaultyTransport(to: $0, streams: true, seed: seed, over: URLSessionTransport())
        }
    }

    private func missNothing(_ seed: UInt64, over makeTransport: (String) -> FaultyTransport) async throws {
        var dice = SplitMix64(seed: seed)
        var server = try await ServedProject()
        let device = try await Device("one", .member, of: server)
        let other = try await server.token(.scheduler)
        let transport = makeTransport(server.url)
        let (rounds, teller) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let watch = try watching(device, transport, telling: teller)
        for step in 0..<25 {
            switch Int.random(in: 0..<10, using: &dice) {
            case 0...3: try await put("o\(step)", "Theirs", on: server, other)
            case 4...6:
                if try device.replica.schema() != nil { try device.add("tasks", "m\(step)", "name=Mine") }
            case 7: transport.cut()
            case 8:
                await server.stop()
                server = try await ServedProject(restarting: server)
                transport.lead(to: server.url)
            default: for _ in 0..<Int.random(in: 0..<5000, using: &dice) { await Task.yield() }
            }
        }
        try await put("last", "Theirs", on: server, other)
        transport.heal()
        let after = try await Device("two", .member, of: server)
        // Only a round changes what it holds. Other tests need the processors, too.
        var next = rounds.makeAsyncIterator()
        while try await !holdsAll(device, after) { try #require(await next.next() != nil, "the watch has ended") }
        watch.cancel()
        let error = await watch.value
        #expect(error is CancellationError, "seed \(seed): \(error)")
        try await transport.shutdown()
    }

    private func holdsAll(_ device: Device, _ server: Device) async throws -> Bool {
        guard try holdsLast(device) else { return false }
        return try await names(device.rows("tasks")) == names(server.served("tasks"))
    }

    /// Whether the last row has come, and nothing waits to be sent.
    private func holdsLast(_ device: Device) throws -> Bool {
        guard try device.replica.schema() != nil, try device.replica.row(of: "tasks", id: "last") != nil else {
            return false
        }
        return try device.replica.unsentCount() == 0
    }

    /// `rounds` has an element for each round, and ends with the watch.
    private func watching(
        _ device: Device, _ transport: FaultyTransport, telling rounds: AsyncStream<Void>.Continuation
    ) throws -> Task<any Error, Never> {
        var options = SyncOptions()
        (options.firstDelay, options.longestDelay) = (.milliseconds(1), .milliseconds(20))
        options.lookForEdits = .milliseconds(5)
        let syncer = try Syncer(
            remote: Remote(url: FaultyTransport.url, project: device.server.bench.project, token: device.token),
            transport: transport, replica: device.replica, options: options)
        var times = WatchTimes()
        (times.poll, times.reconnect, times.longestReconnect) = (.seconds(86400), .milliseconds(5), .milliseconds(50))
        (times.firstPause, times.longestPause) = (.milliseconds(5), .milliseconds(50))
        return Task { [times] in
            do {
                try await syncer.watch(.both, times: times, onState: { _ in }, onRound: { _ in rounds.yield() })
            } catch {
                rounds.finish()
                return error
            }
        }
    }

    // MARK: The command

    private func command(_ device: Device, _ token: [String]) -> Task<any Error, Never> {
        let words = [device.server.url, "--project", device.server.bench.project, "--replica", device.path, "--watch"]
        return Task {
            do {
                try await Connection.parse(words + token).run(.both)
                return CancellationError()
            } catch { return error }
        }
    }

    private func untilPulled(_ device: Device) async throws {
        while try device.replica.schema() == nil || device.replica.state().since == .zero { await Task.yield() }
    }

    @Test func anEditOnOneDeviceArrivesOnTheOther() async throws {
        let server = try await ServedProject()
        let devices = [try await Device("one", .member, of: server), try await Device("two", .scheduler, of: server)]
        let commands = devices.map { command($0, ["--token", $0.token]) }
        for device in devices { try await untilPulled(device) }
        for number in 0..<5 {
            let (from, to) = (devices[number % 2], devices[(number + 1) % 2])
            try from.add("tasks", "t\(number)", "name=N")
            while try to.replica.row(of: "tasks", id: "t\(number)") == nil { await Task.yield() }
        }
        for command in commands { command.cancel() }
        for command in commands { #expect("\(await command.value)" == "Stopped.") }
    }

    /// The old token is revoked while its stream is open.
    @Test func aNewTokenInTheFileIsTakenUp() async throws {
        let server = try await ServedProject()
        let device = try await Device("one", .member, of: server)
        let (file, accounts) = (server.folder.path("token"), server.bench.accounts)
        let user = server.bench.caller(.member).username.rawValue
        try Data(device.token.utf8).write(to: URL(filePath: file))
        let command = command(device, ["--token-file", file])
        try await untilPulled(device)
        let tokens = try await accounts.credentials(of: user).tokens
        let old = try #require(tokens.first)
        let new = try await accounts.createToken(for: user, name: "new")
        try Data(new.utf8).write(to: URL(filePath: file), options: .atomic)
        try await accounts.revoke(String(old.id), of: user)
        try await put("t1", "Theirs", on: server, try await server.token(.scheduler))
        while try device.replica.row(of: "tasks", id: "t1") == nil { await Task.yield() }
        try device.add("tasks", "t2", "name=Mine")
        while try device.replica.unsentCount() > 0 { await Task.yield() }
        command.cancel()
        #expect("\(await command.value)" == "Stopped.")
    }

    @Test func theWayIsSaidOnceAndWhenItChanges() {
        let said = Mutex<[String]>([])
        let outage = Outage(of: "http://h") { sentence in said.withLock { $0.append(sentence) } }
        let away = SyncTrouble(.unreachable("the connection was refused"))
        let states: [WatchState] = [
            .events, .disconnected(away, retryIn: .seconds(1)), .disconnected(away, retryIn: .seconds(2)), .events,
            .waitingPulls(.heldBack), .waitingPulls(.heldBack),
        ]
        for state in states { outage.note(state) }
        let lines = said.withLock { $0 }
        #expect(lines.count == 4 && lines[0].contains("events") && lines[1].contains("does not answer"))
        #expect(lines[2] == "The server at http://h answers again." && lines[3].contains("A proxy"))
    }
}
