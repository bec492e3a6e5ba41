package import Dispatch

/// How long a stream's reader, and with it a read transaction, waits for a client that does not take what is there.
package struct Patience: Sendable {
    private let waits: @Sendable (DispatchSemaphore) -> Bool

    /// `waits` blocks until it has decremented the semaphore; false where it gave up.
    package init(_ waits: @escaping @Sendable (DispatchSemaphore) -> Bool) { self.waits = waits }

    package static func seconds(_ count: Int) -> Patience {
        Patience { $0.wait(timeout: .now() + .seconds(count)) == .success }
    }

    func wait(for semaphore: DispatchSemaphore) -> Bool { waits(semaphore) }
}
