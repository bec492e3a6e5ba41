package import SyncStore
import Synchronization

extension NewID {
    /// Ids that are `prefix` followed by 0001, 0002, …
    package static func counted(prefix: String) -> NewID {
        let counter = Counter()
        return NewID { prefix + counter.next() }
    }

    private final class Counter: Sendable {
        private let value = Atomic<Int>(0)

        func next() -> String {
            let number = String(value.add(1, ordering: .relaxed).newValue)
            return String(repeating: "0", count: max(0, 4 - number.count)) + number
        }
    }
}
