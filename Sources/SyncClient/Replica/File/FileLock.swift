import Foundation

/// Lets one writer at a time work on a file, across all processes.
///
/// SQLite's own locks would do that, but SQLite 3.7.0 to 3.51.2 can corrupt a database when one connection commits at
/// the instant another checkpoints and resets the write-ahead log (<https://sqlite.org/wal.html>, "The WAL-reset bug"),
/// and Debian ships such a version. Commits, and the checkpoints that follow them, happen under this lock, so they
/// never overlap. The lock is `flock`'s: the kernel releases it when the holder dies, even after `kill -9`.
struct FileLock: Sendable {
    /// The path of the guarded file.
    let file: String
    /// How long to wait while another process holds the lock.
    var timeout: Duration = .seconds(10)

    init(guarding file: String) { self.file = file }

    /// The lock's own file. It is created when missing, and never removed.
    private var path: String { file + "-lock" }

    /// Runs `body` while holding the lock. Throws `ReplicaError.busy` when the lock does not become free
    /// within `timeout`. Not reentrant.
    func withLock<Result>(_ body: () throws -> Result) throws -> Result {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw ReplicaError.unusable(path: file, reason: ReplicaRights.reason(errno)) }
        defer { close(descriptor) }
        try acquire(descriptor)
        return try body()
    }

    private func acquire(_ descriptor: Int32) throws {
        let deadline = ContinuousClock.now + timeout
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK || errno == EINTR, ContinuousClock.now < deadline else {
                throw ReplicaError.busy(path: file)
            }
            usleep(1000)
        }
    }
}
