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
