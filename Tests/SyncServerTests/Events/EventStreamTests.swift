import NIOCore
import SyncProtocol
import SyncStore
import Testing

@testable import SyncEngine
@testable import SyncServer

/// What an event stream writes, and when. The tests move the time.
@Suite(.timeLimit(.minutes(20))) struct EventStreamTests {
    private func commits(_ number: Int64, of project: String = "p1") -> NewCommits {
        NewCommits(heads: [project: SyncSeq(number)], number: CommitNumber(number), heardAt: .uptimeNanoseconds(0))
    }

    @Test func theFirstPokeLeavesAtOnceAndLaterOnesAreMerged() async throws {
        let line = try await StreamLine()
        line.stream.poke(commits(8))
        let first = try await line.sent()
        #expect(first.map(\.data) == [["p1": 8]])
        line.stream.poke(commits(9))
        line.stream.poke(commits(10, of: "p2"))
        line.stream.poke(commits(11))
        #expect(try await line.sent().isEmpty)
        await line.advance(.milliseconds(99))
        #expect(try await line.sent().isEmpty)
        await line.advance(.milliseconds(1))
        let merged = try await line.sent()
        #expect(merged.map(\.data) == [["p1": 11, "p2": 10]])
        #expect(merged.map(\.id) == [String(CommitNumber(11).watermark)])
        #expect(line.count(.mergedPokes) == 2)
    }

    @Test func aClientThatTakesNothingGetsOneLineWhenItDoes() async throws {
        let line = try await StreamLine()
        await line.block(true)
        for number in 8...107 {
            line.stream.poke(commits(Int64(number)))
            await line.advance(.milliseconds(200))
        }
        #expect(try await line.sent().isEmpty)
        await line.block(false)
        #expect(try await line.sent().map(\.data) == [["p1": 8], ["p1": 107]])
    }

    @Test func aClientThatTakesNothingForHalfAMinuteIsCutAndCounted() async throws {
        let line = try await StreamLine()
        await line.block(true)
        line.stream.poke(commits(8))
        _ = try await line.sent()
        await line.advance(.milliseconds(29_999))
        #expect(line.count(.slowStreams) == 0)
        await line.advance(.milliseconds(1))
        await line.ended()
        #expect(line.count(.slowStreams) == 1)
    }

    /// The kernel may notice first that nothing is acknowledged.
    @Test func aClientThatAcknowledgesNothingIsCounted() async throws {
        let line = try await StreamLine()
        line.stream.cut(.closed)
        await line.ended()
        #expect(line.count(.slowStreams) == 0)
        let other = try await StreamLine()
        other.stream.cut(.tookNothing)
        await other.ended()
        #expect(other.count(.slowStreams) == 1)
    }

    @Test func aServerThatStopsDoesNotWaitForAClientThatTakesNothing() async throws {
        let line = try await StreamLine()
        await line.block(true)
        line.stream.poke(commits(8))
        _ = try await line.sent()
        line.stream.end(.restart)
        _ = try await line.sent()
        await line.ended()
    }

    @Test func aPingComesAfter20To25SecondsWithTheNumberOfTheLastPoke() async throws {
        let line = try await StreamLine()
        line.stream.poke(commits(9))
        _ = try await line.sent()
        for _ in 0..<20 {
            var pings: [ReceivedEvent] = []
            var seconds = 0
            while pings.isEmpty {
                await line.advance(.seconds(1))
                seconds += 1
                pings = try await line.sent()
            }
            #expect(pings.map(\.name) == ["ping"])
            #expect(pings.map(\.id) == [String(CommitNumber(9).watermark)])
            #expect((20...25).contains(seconds))
        }
    }

    @Test func itEndsAfterAboutADay() async throws {
        let line = try await StreamLine()
        await line.advance(.hours(21))
        #expect(try await line.sent().allSatisfy { $0.name == "ping" })
        await line.advance(.hours(6))
        #expect(try await line.sent().last?.data["reason"] == "max_age")
        await line.ended()
    }

    @Test func itEndsWhenItsTokenExpires() async throws {
        let line = try await StreamLine(expiresIn: .seconds(5))
        await line.advance(.milliseconds(4999))
        #expect(try await line.sent().isEmpty)
        await line.advance(.milliseconds(1))
        #expect(try await line.sent().last?.data["reason"] == "token_expired")
        await line.ended()
    }

    /// A clock that is set forward moves no timer.
    @Test func aTokenThatTheClockHasOvertakenEndsItWithTheNextPing() async throws {
        let line = try await StreamLine(expiresIn: .hours(1), isExpired: true)
        await line.advance(.seconds(25))
        #expect(try await line.sent().last?.data["reason"] == "token_expired")
        await line.ended()
    }

    @Test func theFirstReasonOfTheEndCounts() async throws {
        let line = try await StreamLine()
        line.stream.end(.revoked)
        line.stream.end(.restart)
        line.stream.poke(commits(9))
        #expect(try await line.sent().map { $0.data["reason"] } == ["revoked"])
        await line.ended()
    }
}
