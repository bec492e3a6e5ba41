import Foundation
import SyncProtocol
import SyncStore

/// An advisory lock (`flock`) on a separate file next to the database. It ends with the process that holds it.
///
/// `@unchecked Sendable` because the descriptors are set once and `flock` may be called from any thread.
final class FileLock: @unchecked Sendable {
    /// In the order in which they are locked, the same for everybody.
    private let descriptors: [Int32]

    /// Locks the files called `others` too, if they can be opened.
    init(path: String, also others: [String] = []) throws {
        let first = FileLock.open(path)
        guard first >= 0 else {
            throw StoreError(
                "Can't open \(path): \(String(cString: strerror(errno))).", hint: "Check the folder's owner and rights."
            )
        }
        descriptors = [first] + others.map(FileLock.open).filter { $0 >= 0 }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    private static func open(_ path: String) -> Int32 { Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }

    /// Takes the lock if nobody holds it. Returns whether it did.
    func tryLock() -> Bool {
        if descriptors.allSatisfy({ flock($0, LOCK_EX | LOCK_NB) == 0 }) { return true }
        unlock()
        return false
    }

    func unlock() {
        for descriptor in descriptors { flock(descriptor, LOCK_UN) }
    }

    /// Waits for the lock, and runs `body` while holding it.
    func locked<Value>(_ body: () throws -> Value) rethrows -> Value {
        for descriptor in descriptors {
            while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
        }
        defer { unlock() }
        return try body()
    }
}
