import Foundation

/// The rights of a database's files. They hold the key that signs access tokens, and
/// everybody's rows. So they are made for their owner alone. Files that an older
/// version made readable for everybody are closed to others when they are next opened.
///
/// Rights for a group only, such as 0640, are somebody's choice and stay. SQLite gives the log and the shared memory
/// the rights of the database: https://sqlite.org/src/file?name=src/os_unix.c (`findCreateFileMode`).
package struct PrivateFiles: Sendable, Equatable {
    /// Files that others could read or write until now.
    package private(set) var closed: [String] = []
    /// Files that others can still read or write, because this process may not change their rights.
    package private(set) var open: [String] = []

    /// No file was looked at.
    static let untouched = PrivateFiles()

    private init() {}

    /// Makes an empty file if there is none, and closes existing files to others.
    init(database path: String) {
        PrivateFiles.make(path)
        for file in [path, path + "-wal", path + "-shm"] { close(file) }
    }

    /// Errors are ignored here, because opening the file reports them with better messages. An existing file is not
    /// opened: closing it again would release the locks that this process may hold on it.
    private static func make(_ path: String) {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { Foundation.close(descriptor) }
    }

    private mutating func close(_ file: String) {
        var status = stat()
        guard stat(file, &status) == 0, status.st_mode & 0o007 != 0 else { return }
        if chmod(file, status.st_mode & 0o600) == 0 { closed.append(file) } else { open.append(file) }
    }
}
