package import SyncStore
package import Synchronization

/// Hears of a check's progress, and can end it.
package final class CheckListener: Sendable {
    package let heard = Mutex<[(done: Int, total: Int)]>([])

    package init() {}

    /// What a check takes. It is ended after so many parts.
    package func watch(endingAfter parts: Int? = nil) -> CheckWatch {
        let watch = Mutex<CheckWatch?>(nil)
        let made = CheckWatch { done, total in
            self.heard.withLock { $0.append((done, total)) }
            if done == parts { watch.withLock { $0 }?.end() }
        }
        watch.withLock { $0 = made }
        return made
    }
}
