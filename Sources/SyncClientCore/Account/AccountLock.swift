import Foundation

/// Lets one task at a time, of all processes, change the secrets of an account. The kernel releases the lock with the
/// process that holds it.
struct AccountLock {
    /// Longer than a request may take.
    private static let patience: Duration = .seconds(60)

    let path: String
    let environment: SyncEnvironment

    /// Runs `body` while holding the lock. Throws `AccountError.busy` if nobody releases it. Not reentrant.
    func withLock<Value>(_ body: () async throws -> Value) async throws -> Value {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw AccountError.unusableSecrets(path: path) }
        defer { close(descriptor) }
        let start = environment.now()
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard environment.now() - start < Self.patience else { throw AccountError.busy }
            try await environment.sleep(.milliseconds(20))
        }
        return try await body()
    }
}
