import Dispatch
package import SyncEngine
import Synchronization

/// A deadline without a clock: it lasts until the test ends it.
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
        StreamDeadline { [self] slots, _ in
            if slots.wait(timeout: .now()) == .success { return .zero }
            guard wait(for: slots) else { return nil }
            slots.wait()
            release.yield()
            return state.withLock { state in
                state.waiting = nil
                return state.isOver ? nil : .zero
            }
        }
    }

    /// False if the deadline is already over.
    private func wait(for slots: DispatchSemaphore) -> Bool {
        let waits = state.withLock { state in
            if !state.isOver { state.waiting = slots }
            return !state.isOver
        }
        block.yield()
        return waits
    }

    /// Returns when a reader is blocked.
    package func untilBlocked() async { _ = await blocked.first { _ in true } }

    /// Returns when a blocked reader was woken.
    package func untilReleased() async { _ = await released.first { _ in true } }

    /// Ends the deadline, for the reader that is blocked now and for all later ones.
    package func runOut() {
        state.withLock { state in
            state.isOver = true
            state.waiting?.signal()
        }
    }
}
