import Dispatch
package import SyncEngine
import Synchronization

/// A deadline without a clock: lasts until the test lets it run out.
package final class HeldDeadline: Sendable {
    private struct State {
        var waiting: DispatchSemaphore?
        var isOver = false
    }

    private let state = Mutex(State())
    private let (blocked, block) = AsyncStream.makeStream(of: Void.self)
    private let (released, release) = AsyncStream.makeStream(of: Void.self)

    package init() {}

    package var deadline: StreamDeadline {
        StreamDeadline { [self] places, _ in
            if places.wait(timeout: .now()) == .success { return .zero }
            guard wait(for: places) else { return nil }
            places.wait()
            release.yield()
            return state.withLock { state in
                state.waiting = nil
                return state.isOver ? nil : .zero
            }
        }
    }

    /// False where the deadline is over already.
    private func wait(for places: DispatchSemaphore) -> Bool {
        let waits = state.withLock { state in
            if !state.isOver { state.waiting = places }
            return !state.isOver
        }
        block.yield()
        return waits
    }

    /// Returns when a reader has been blocked.
    package func untilBlocked() async { _ = await blocked.first { _ in true } }

    /// Returns when a reader that was blocked has been woken.
    package func untilReleased() async { _ = await released.first { _ in true } }

    /// Lets it run out, for the reader that is blocked now and all later ones that come to be.
    package func runOut() {
        state.withLock { state in
            state.isOver = true
            state.waiting?.signal()
        }
    }
}
