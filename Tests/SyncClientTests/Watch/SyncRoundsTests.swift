import SyncProtocol
import Testing

@testable import SyncClientCore

/// A watch as a sequence of rounds.
@Suite(.timeLimit(.minutes(10))) struct SyncRoundsTests {
    private let scratch: Scratch
    private let server = FakeServer()
    private let clock = SteppedClock()

    init() throws { scratch = try Scratch() }

    private func rounds(
        _ transport: any Transport, on replica: Replica, renewing: (@Sendable () async throws -> String?)? = nil
    ) throws -> SyncRounds {
        try Syncer(
            remote: Remote(url: "http://server", project: "p", token: "t"), transport: transport, replica: replica,
            environment: clock.environment()
        ).rounds(renewing: renewing)
    }

    // MARK: Merging

    /// What rounds say that no later one says again.
    private struct News: Equatable {
        var (rows, applied, setAside) = (0, 0, 0)
        var left: [String] = []
        var refusal: SyncError?

        mutating func add(_ outcome: SyncOutcome) {
            rows += outcome.pulled?.rows ?? 0
            applied += outcome.pushed?.applied ?? 0
            setAside += outcome.pushed?.setAside ?? 0
            left += outcome.pulled?.left.map(\.id) ?? []
            if outcome.pushed != nil || outcome.refusal != nil { refusal = outcome.refusal }
        }
    }

    private func randomOutcome(_ number: Int, _ dice: Dice) -> SyncOutcome {
        var outcome = SyncOutcome()
        if dice.roll(4) > 0 {
            outcome.pulled = PullOutcome(rows: dice.roll(3))
            outcome.pulled?.left = (0..<dice.roll(3)).map {
                LeftProject(id: "\(number)-\($0)", name: nil, reason: .projectDeleted, setAside: 1)
            }
        }
        switch dice.roll(4) {
        case 0: outcome.refusal = .refused(status: 403, code: "forbidden", detail: "\(number)")
        case 1: outcome.pushed = PushOutcome(applied: dice.roll(3), setAside: dice.roll(3))
        default: break
        }
        return outcome
    }

    /// What a watch told and what a reader, who is slow now and then, was told.
    private func reading(_ seed: UInt64, merge: @escaping SyncRounds.Merge) async throws -> (told: News, read: News) {
        let dice = Dice(seed: seed)
        let outcomes = (0..<20).map { randomOutcome($0, dice) }
        let (turns, turn) = AsyncStream<Int>.makeStream()
        let (answers, answer) = AsyncStream<Void>.makeStream()
        let rounds = SyncRounds(merge: merge) { tell in
            var next = 0
            for await count in turns {
                for outcome in outcomes[next..<min(next + count, outcomes.count)] { tell(SyncRound(outcome: outcome)) }
                next += count
                answer.yield()
            }
            throw SyncError.gaveUp(reason: "the end")
        }
        var (told, read) = (News(), News())
        for outcome in outcomes { told.add(outcome) }
        var (reader, answered) = (rounds.makeAsyncIterator(), answers.makeAsyncIterator())
        var left = outcomes.count
        while left > 0 {
            let count = 1 + dice.roll(4)
            left -= count
            turn.yield(count)
            await answered.next()
            if let round = try await reader.next() { read.add(round.outcome) }
        }
        turn.finish()
        await #expect(throws: SyncError.gaveUp(reason: "the end")) { try await reader.next() }
        return (told, read)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func aSlowReaderMissesNothing(seed: UInt64) async throws {
        let (told, read) = try await reading(seed) { $0 + $1 }
        #expect(told == read, "seed \(seed)")
    }

    /// The planted mistake: of two rounds that wait, one is dropped.
    @Test func aDroppedRoundIsFound() async throws {
        for merge in [{ $1 }, { first, _ in first }] as [SyncRounds.Merge] {
            let (told, read) = try await reading(1, merge: merge)
            #expect(told != read)
        }
    }

    @Test func anErrorComesAfterAllRounds() async throws {
        let rounds = SyncRounds { tell in
            for rows in 1...2 { tell(SyncRound(outcome: SyncOutcome(pulled: PullOutcome(rows: rows)))) }
            throw SyncError.gaveUp(reason: "the end")
        }
        var rows = 0
        await #expect(throws: SyncError.gaveUp(reason: "the end")) {
            for try await round in rounds { rows += round.outcome.pulled?.rows ?? 0 }
        }
        #expect(rows == 3)
    }

    // MARK: Watching

    @Test func aSlowReaderGetsSeveralSyncsAsOneRound() async throws {
        let (transport, replica) = (ScriptedTransport(server), try scratch.replica())
        var reader = try rounds(transport, on: replica).makeAsyncIterator()
        #expect(try await reader.next()?.outcome.pulled?.rows == 0)
        let stream = try await transport.stream()
        stream.hello()
        for id in ["a", "b", "c"] {
            server.change { $0.put("tasks", id, ["name": "N"]) }
            stream.send("event: poke\ndata: {\"p\": 8}\n\n")
            while try replica.row(id) == nil { await Task.yield() }
        }
        let merged = try #require(try await reader.next())
        var rows = merged.outcome.pulled?.rows ?? 0
        #expect(rows >= 2 && merged.state == .events)
        while rows < 3 { rows += try await reader.next()?.outcome.pulled?.rows ?? 0 }
        #expect(rows == 3)
    }

    @Test func theWatchEndsWithItsReader() async throws {
        let (transport, replica) = (ScriptedTransport(server), try scratch.replica())
        let rounds = try rounds(transport, on: replica)
        for try await _ in rounds { break }
        let stream = try await transport.stream()
        let (ended, end) = AsyncStream<Void>.makeStream()
        stream.body.onTermination = { _ in end.finish() }
        for await _ in ended {}
    }

    // MARK: Works that fail

    /// Serves what pulls with one token, and takes edits with the next one only.
    private struct LateToken: Transport {
        let transport: ScriptedTransport

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            if request.method == .post { transport.accept("t2") }
            return try await transport.send(request)
        }

        func open(_ request: TransportRequest) async throws -> TransportStream? { try await transport.open(request) }
    }

    private func scene() throws -> (LateToken, Replica) {
        let replica = try scratch.replica()
        server.change { $0.put("tasks", "a", ["name": "A"]) }
        _ = try replica.adopt(Fixture.schema)
        try replica.insert(["name": "N"], into: "tasks", id: "n")
        return (LateToken(transport: ScriptedTransport(server)), replica)
    }

    /// The pull succeeds, and the token ends before the push.
    @Test func whatAFailedSyncHasPulledIsInTheNextRound() async throws {
        let (transport, replica) = try scene()
        var reader = try rounds(transport, on: replica) { "t2" }.makeAsyncIterator()
        while let round = try await reader.next() {
            guard let pushed = round.outcome.pushed else { continue }
            #expect(pushed.applied == 1)
            #expect(round.outcome.pulled?.rows == 2)
            break
        }
    }

    @Test func whatASyncHasPulledThatEndsTheWatchIsTheLastRound() async throws {
        let (transport, replica) = try scene()
        var rows = 0
        await #expect(throws: SyncError.refused(status: 401, code: "unauthorized", detail: "Because.")) {
            for try await round in try rounds(transport, on: replica) { rows += round.outcome.pulled?.rows ?? 0 }
        }
        #expect(rows == 1)
    }
}
