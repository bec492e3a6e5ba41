import Synchronization

/// What a listener has taken, given back once: when it ends, or when its answer is dropped unsent.
final class ListenerSlot: Sendable {
    private let isTaken = Atomic(true)
    private let leave: @Sendable () -> Void

    init(_ leave: @escaping @Sendable () -> Void) { self.leave = leave }

    deinit { giveBack() }

    func giveBack() { if isTaken.exchange(false, ordering: .acquiringAndReleasing) { leave() } }
}
