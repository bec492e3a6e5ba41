import Foundation
import SyncProtocol
import SyncStore

/// An advisory lock (`flock`) on a separate file next to the database. It ends with the process that holds it.
///
/// `@unchecked Sendable` because the descriptor is set once and `flock` may be called from any thread.
final class FileLock: @unchecked Sendable {
    private let descriptor: Int32

    init(path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreError(
                "Can't open \(path): \(String(cString: strerror(errno))).", hint: "Check the folder's owner and rights."
            )
        }
    }

    deinit { close(descriptor) }

    /// Takes the lock if nobody holds it. Returns whether it did.
    func tryLock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    func unlock() { flock(descriptor, LOCK_UN) }

    /// Waits for the lock, and runs `body` while holding it.
    func locked<Value>(_ body: () throws -> Value) rethrows -> Value {
        while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
        defer { unlock() }
        return try body()
    }
}
