import Dispatch
import Synchronization
import Testing

@testable import SyncEngine

/// How long a stream waits for its client.
@Suite struct StreamDeadlineTests {
    private final class Waits: Sendable {
        private let limits = Mutex<[Duration]>([])

        var all: [Duration] { limits.withLock { $0 } }

        /// Records each time limit, and reports that the client took `took`.
        func deadline(stall: Duration, total: Duration, each took: Duration?) -> StreamDeadline {
            StreamDeadline(stall: stall, total: total) { [self] _, limit in
                limits.withLock { $0.append(limit) }
                return took
            }
        }
    }

    @Test func aClientThatTakesALittleNowAndThenGetsLessAndLessTime() {
        let waits = Waits()
        var deadline = waits.deadline(stall: .seconds(30), total: .seconds(60), each: .seconds(25))
        for _ in 0..<4 { _ = deadline.wait(for: DispatchSemaphore(value: 0)) }
        #expect(waits.all == [.seconds(30), .seconds(30), .seconds(10), .seconds(-15)])
    }

    @Test func aFastClientCostsNoPatience() {
        let waits = Waits()
        var deadline = waits.deadline(stall: .seconds(30), total: .seconds(60), each: .zero)
        for _ in 0..<1000 { _ = deadline.wait(for: DispatchSemaphore(value: 0)) }
        #expect(waits.all.allSatisfy { $0 == .seconds(30) })
    }

    @Test func nobodyIsWaitedForWhenThePatienceIsOver() {
        var deadline = StreamDeadline(stall: .seconds(30), total: .seconds(-1))
        let semaphore = DispatchSemaphore(value: 0)
        let isEarly = deadline.wait(for: semaphore)
        semaphore.signal()
        let isReady = deadline.wait(for: semaphore)
        #expect(!isEarly && isReady)
    }

    @Test func aWaitEndsWithASignal() {
        let semaphore = DispatchSemaphore(value: 0)
        DispatchQueue.global().async { semaphore.signal() }
        #expect(TimedWait.wait(for: semaphore, atMost: .seconds(3600)))
        #expect(semaphore.wait(timeout: .now()) == .timedOut)
    }

    /// A signal is taken exactly once: a wait that gives up leaves it to others, whichever comes first.
    @Test(arguments: [0, 1, 2]) func aSignalIsTakenOnce(milliseconds: Int) {
        for _ in 0..<200 {
            let (semaphore, signals) = (DispatchSemaphore(value: 0), DispatchGroup())
            DispatchQueue.global().async(group: signals) { semaphore.signal() }
            let isTaken = TimedWait.wait(for: semaphore, atMost: .milliseconds(milliseconds))
            signals.wait()
            #expect(semaphore.wait(timeout: .now()) == (isTaken ? .timedOut : .success))
        }
    }

    @Test func aWaitGivesUp() {
        let semaphore = DispatchSemaphore(value: 0)
        #expect(!TimedWait.wait(for: semaphore, atMost: .milliseconds(1)))
        #expect(semaphore.wait(timeout: .now()) == .timedOut)
    }
}
