import Foundation

/// One writer at a time on one file, over all processes.
///
/// SQLite's own locks would do for that, but SQLite 3.7.0 to 3.51.2 can corrupt a database when one connection commits
/// at the instant another checkpoints and resets the write-ahead log (<https://sqlite.org/wal.html>, "The WAL-reset
/// bug"), and Debian ships such a version. Commits and the checkpoints that follow them happen under this lock, so they
/// never meet. It is `flock`'s, so the kernel frees it when its holder dies, `kill -9` included.
struct FileLock: Sendable {
    /// What is guarded.
    let file: String
    /// How long to wait for another holder.
    var timeout: Duration = .seconds(10)

    init(guarding file: String) { self.file = file }

    /// Created when missing, never removed.
    private var path: String { file + "-lock" }

    /// Runs `body` as the only holder; throws `ReplicaError.busy` when it can't become that in time. Not reentrant.
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
