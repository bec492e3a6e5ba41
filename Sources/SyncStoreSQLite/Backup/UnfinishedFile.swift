import Foundation
import SyncStore

/// A database file that is being made. It gets its name last, when it is complete and on the disk. So there is never an
/// incomplete file under that name.
struct UnfinishedFile {
    /// Stands between the final name and the id of the process that makes the file.
    static let mark = ".unfinished-"

    /// The endings of the files that SQLite makes beside a database.
    static let companions = ["-journal", "-wal", "-shm"]

    private let target: String
    /// What errors call the file, such as `backup`.
    private let kind: String
    /// Where the file is until it is published.
    var path: String { target + UnfinishedFile.mark + "\(getpid())" }

    init(of target: String, as kind: String) { (self.target, self.kind) = (target, kind) }

    /// Throws a `StoreError` if there is no folder for the file, or if its name is taken.
    func requireFree() throws {
        var isFolder: ObjCBool = false
        let path = folder.isEmpty ? "." : folder
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            throw StoreError("There is no folder \(folder).", hint: "Make it, or choose another path for the \(kind).")
        }
        try refuseExisting()
    }

    private var folder: String {
        URL(filePath: target).deletingLastPathComponent().path(percentEncoded: false)
    }

    private func refuseExisting() throws {
        guard !FileManager.default.fileExists(atPath: target) else {
            throw StoreError("\(target) already exists.", hint: "Choose another name for the \(kind).")
        }
    }

    /// Makes the file readable only for its owner, before its first byte is written.
    func make() throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("Can't write \(path)") }
        close(descriptor)
    }

    /// Gives the file its name. `link` refuses a name that exists; `rename` would replace the file.
    func publish() throws {
        try sync(path, O_RDWR)
        if link(path, target) != 0 {
            guard [EPERM, ENOTSUP, ENOSYS].contains(errno) else { throw failure("Can't name the \(kind) \(target)") }
            // The file system has no hard links.
            try refuseExisting()
            guard rename(path, target) == 0 else { throw failure("Can't name the \(kind) \(target)") }
        }
        try sync(folder, O_RDONLY)
    }

    func remove() {
        for ending in [""] + UnfinishedFile.companions { unlink(path + ending) }
    }

    private func sync(_ path: String, _ mode: Int32) throws {
        let descriptor = open(path, mode | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("Can't open \(path)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("Can't write \(path) to the disk") }
    }

    private func failure(_ what: String) -> StoreError {
        StoreError("\(what): \(String(cString: strerror(errno))).", hint: "Check the folder's rights and free space.")
    }
}
