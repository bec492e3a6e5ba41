import Foundation

/// The rights of a database's files. They hold the key that signs access tokens, and everybody's rows: they are made
/// for their owner alone, and files that an earlier version made for all to read are closed to others at the next
/// opening.
///
/// Rights for a group alone, such as 0640, were somebody's choice, and stay. SQLite gives the log and the shared memory
/// the rights of the database: https://sqlite.org/src/file?name=src/os_unix.c (`findCreateFileMode`).
package struct PrivateFiles: Sendable, Equatable {
    /// Files that others could read or write until now.
    package private(set) var closed: [String] = []
    /// Files that others still can, as this process may not change that.
    package private(set) var open: [String] = []

    /// Makes an empty file where there is none, and closes those that are there.
    init(database path: String) {
        PrivateFiles.make(path)
        for file in [path, path + "-wal", path + "-shm"] { close(file) }
    }

    /// What goes wrong here is told in better words when the file is opened. A file that is there is not opened: to
    /// close it again would end the locks that this process may hold on it.
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
