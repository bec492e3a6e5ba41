import Synchronization

@testable import SyncClientCore

/// A clock that stands still until a test moves it.
final class SteppedClock: Sendable {
    private struct State {
        var now = Duration.zero
        var sleepers: [Int: (until: Duration, continuation: CheckedContinuation<Bool, Never>)] = [:]
        var cancelled: Set<Int> = []
        var count = 0
    }

    private let state = Mutex(State())

    func environment() -> SyncEnvironment {
        SyncEnvironment(
            now: { self.state.withLock { $0.now } }, sleep: { try await self.sleep($0) }, wallClock: { .test },
            seed: { 1 }, newBatchID: { "00000000-0000-4000-8000-\(100_000_000_000 + self.nextNumber())" })
    }

    private func nextNumber() -> Int {
        state.withLock { state in
            state.count += 1
            return state.count
        }
    }

    private func sleep(_ duration: Duration) async throws {
        let number = nextNumber()
        let isDone = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isCancelled = state.withLock { state in
                    guard !state.cancelled.contains(number) else { return true }
                    state.sleepers[number] = (state.now + duration, continuation)
                    return false
                }
                if isCancelled { continuation.resume(returning: false) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.cancelled.insert(number)
                return state.sleepers.removeValue(forKey: number)
            }
            sleeper?.continuation.resume(returning: false)
        }
        if !isDone { throw CancellationError() }
    }

    /// Waits until somebody sleeps until that time, then moves the clock there and wakes all whose time has come.
    func move(to time: Duration) async {
        while !state.withLock({ $0.sleepers.values.contains { $0.until == time } }) { await Task.yield() }
        let woken = state.withLock { state in
            state.now = time
            let due = state.sleepers.filter { $0.value.until <= time }
            for number in due.keys { state.sleepers[number] = nil }
            return due.values
        }
        for sleeper in woken { sleeper.continuation.resume(returning: true) }
    }
}
