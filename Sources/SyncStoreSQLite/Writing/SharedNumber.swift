import Synchronization

/// A number that is shared by the copies of a struct.
final class SharedNumber: Sendable {
    private let storage: Mutex<Int>

    init(_ value: Int) { storage = Mutex(value) }

    var value: Int {
        get { storage.withLock { $0 } }
        set { storage.withLock { $0 = newValue } }
    }
}
