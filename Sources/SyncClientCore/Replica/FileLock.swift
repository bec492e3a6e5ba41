import Foundation

/// Lets one task at a time, of all processes, hold a file. The lock is `flock`'s: the kernel releases it when the
/// holder dies, even after `kill -9`. Not reentrant.
struct FileLock: Sendable {
    /// The path of the guarded file.
    let file: String
    /// The lock's own file. It is created when missing, and never removed.
    let path: String
    /// How long to wait while somebody else holds the lock.
    var timeout: Duration
    /// Thrown when nobody releases the lock within `timeout`.
    let busy: any Error
    /// Makes the error to throw when the file can't be opened, of an `errno`.
    let unusable: @Sendable (Int32) -> any Error

    /// Runs `body` while holding the lock.
    func withLock<Value>(_ body: () throws -> Value) throws -> Value {
        let descriptor = try opened()
        defer { close(descriptor) }
        let deadline = ContinuousClock.now + timeout
        while !isHeld(descriptor) {
            guard ContinuousClock.now < deadline else { throw busy }
            usleep(1000)
        }
        return try body()
    }

    /// Runs `body` while holding the lock. No thread waits for it.
    func withLock<Value>(
        _ environment: SyncEnvironment, _ body: () async throws -> Value
    ) async throws -> Value {
        let descriptor = try opened()
        defer { close(descriptor) }
        let deadline = environment.now() + timeout
        while !isHeld(descriptor) {
            guard environment.now() < deadline else { throw busy }
            try await environment.sleep(.milliseconds(20))
        }
        return try await body()
    }

    private func opened() throws -> Int32 {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unusable(errno) }
        return descriptor
    }

    private func isHeld(_ descriptor: Int32) -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }
}

extension FileLock {
    /// Lets one writer at a time work on a replica's file.
    ///
    /// SQLite's own locks would do that, but SQLite 3.7.0 to 3.51.2 can corrupt a database when one connection commits
    /// at the instant another checkpoints and resets the write-ahead log (<https://sqlite.org/wal.html>, "The
    /// WAL-reset bug"), and Debian ships such a version. Commits, and the checkpoints that follow them, happen under
    /// this lock, so they never overlap.
    init(guarding file: String) {
        self.init(
            file: file, path: file + "-lock", timeout: .seconds(10), busy: ReplicaError.busy(path: file)
        ) {
            ReplicaError.unusable(path: file, reason: ReplicaRights.reason($0))
        }
    }

    /// Lets one task at a time change the secret of an account. It waits longer than a request may take.
    init(ofSecretAt path: String) {
        self.init(file: path, path: path, timeout: .seconds(60), busy: AccountError.busy) { _ in
            AccountError.unusableSecrets(path: path)
        }
    }
}
