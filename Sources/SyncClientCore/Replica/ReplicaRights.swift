import Foundation

/// Limits access to a replica to the file's owner: it holds a project, and people's names.
struct ReplicaRights {
    private static let rights: mode_t = 0o600

    let path: String

    /// Throws `ReplicaError.unusable` when `path` is a folder, before any file is created beside it.
    func checkFolder() throws {
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
            throw ReplicaError.unusable(path: path, reason: "it is a folder")
        }
    }

    /// Creates the file if it is missing, and removes other users' access if this user may. SQLite gives its own
    /// files beside it the same permissions.
    ///
    /// An existing file is not opened: closing it would release the locks that SQLite holds on it in this process
    /// (<https://sqlite.org/howtocorrupt.html>, section 2.2).
    func restrict() throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, Self.rights)
        guard descriptor >= 0 || errno == EEXIST else {
            throw ReplicaError.unusable(path: path, reason: Self.reason(errno))
        }
        if descriptor >= 0 { close(descriptor) }
        for suffix in ["", "-wal", "-shm", "-lock"] { restrict(path + suffix) }
    }

    private func restrict(_ file: String) {
        var about = stat()
        guard stat(file, &about) == 0, about.st_mode & 0o077 != 0 else { return }
        _ = chmod(file, about.st_mode & 0o700)
    }

    /// The message for an `errno` of a file operation.
    static func reason(_ number: Int32) -> String {
        switch number {
        case ENOENT, ENOTDIR: "there is no such folder"
        case EACCES, EPERM: "this user may not read and write it, or may not write to its folder"
        case EROFS: "its file system is read-only"
        case EISDIR: "it is a folder"
        case ENOSPC, EDQUOT: "the disk is full"
        case EMFILE, ENFILE: "too many files are open"
        default: "the operating system refused it (error \(number))"
        }
    }
}

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
