import Synchronization

/// A flag that any task can set, once.
package final class Flag: Sendable {
    private let state = Mutex(false)
    package var isSet: Bool { state.withLock { $0 } }
    package init() {}

    package func set() { state.withLock { $0 = true } }
}
