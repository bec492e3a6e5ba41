import Foundation
import SyncProtocol
import SyncStore

/// Whether this process may use the database at a path, explained in messages of its own. SQLite distinguishes a wrong
/// path, missing rights and damage at best by an error number.
struct PathRights {
    enum Use { case reading, writing }

    let path: String
    private var log: String { path + "-wal" }
    private var shared: String { path + "-shm" }
    private var folder: String {
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        return folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    }

    init(_ path: String) { self.path = path }

    var isThere: Bool { kind(of: path) != nil }

    /// Throws a `StoreError` that says what to do. A missing file passes, as long as the process could create it
    /// (writing) or look for it (reading).
    func require(_ use: Use) throws(StoreError) {
        try requireFile()
        for file in [path, log, shared] where kind(of: file) != nil {
            try require(R_OK, file: file, what: "read")
            if use == .writing { try require(W_OK, file: file, what: "written") }
        }
        switch use {
        case .reading: try requireReadableLog()
        case .writing: try requireFolder()
        }
    }

    /// The name under which SQLite opens the database for a short read. If nobody has the database open and no content
    /// is in its log, the name tells SQLite to make no files beside it: https://sqlite.org/uri.html#uriimmutable
    var nameToLook: String {
        let isLogInUse = kind(of: log) != nil && kind(of: shared) != nil
        return isLogInUse || size(of: log) > 0 ? path : immutableName
    }

    /// The name for a long read, during which somebody else could open the database. The name for a short read is used
    /// only if there is no other way.
    var nameToRead: String { may(W_OK | X_OK, folder) ? path : nameToLook }

    private var immutableName: String {
        let plain = CharacterSet(charactersIn: "/._-~").union(.alphanumerics)
        let escaped = URL(filePath: path).path(percentEncoded: false).addingPercentEncoding(
            withAllowedCharacters: plain)
        return "file://\(escaped ?? path)?immutable=1"
    }

    private func requireFile() throws(StoreError) {
        var status = stat()
        if stat(path, &status) == 0 {
            switch status.st_mode & S_IFMT {
            case S_IFREG: return
            case S_IFDIR: throw StoreError("\(path) is a folder, not a database.", hint: "Give the path of the file.")
            default: throw StoreError("\(path) is not a file.", hint: "Check the path.")
            }
        }
        switch errno {
        case ENOENT: return
        case ENOTDIR: throw StoreError("\(folder) is a file, not a folder.", hint: "Check the path \(path).")
        case EACCES: throw StoreError("\(folder) can't be entered by \(user).", hint: PathRights.hint)
        case let code: throw StoreError("\(path) can't be reached: \(text(code)).", hint: "Check the path.")
        }
    }

    private func requireFolder() throws(StoreError) {
        guard kind(of: folder) != nil else {
            throw StoreError("There is no folder \(folder).", hint: "Make it, or check the path.")
        }
        try require(W_OK | X_OK, file: folder, what: "written", why: "; SQLite keeps the database's log there")
    }

    /// SQLite reads a log with content through shared memory, which is a file too.
    private func requireReadableLog() throws(StoreError) {
        guard size(of: log) > 0, kind(of: shared) == nil, !may(W_OK | X_OK, folder) else { return }
        throw StoreError(
            "\(path) has a log, \(log). It can't be read, because \(folder) can't be written by \(user).",
            hint: "Copy both files to a folder that can be written, or run this as the user that the server runs as.")
    }

    private func require(_ mode: Int32, file: String, what: String, why: String = "") throws(StoreError) {
        if may(mode, file) { return }
        switch errno {
        case EACCES, EPERM: throw StoreError("\(file) can't be \(what) by \(user)\(why).", hint: PathRights.hint)
        case EROFS:
            throw StoreError(
                "\(file) is on a file system that is mounted read-only.",
                hint: "Copy the database to a file system that can be written.")
        case let code: throw StoreError("\(file) can't be \(what): \(text(code)).", hint: "Check the path.")
        }
    }

    private static let hint = "Run this as the user that the server runs as, or change the owner or the rights."

    private var user: String { "the user \(NSUserName())" }

    private func text(_ code: Int32) -> String { String(cString: strerror(code)) }

    /// Uses the effective user, as opening a file does.
    private func may(_ mode: Int32, _ file: String) -> Bool { faccessat(AT_FDCWD, file, mode, AT_EACCESS) == 0 }

    private func kind(of file: String) -> mode_t? {
        var status = stat()
        return stat(file, &status) == 0 ? status.st_mode & S_IFMT : nil
    }

    private func size(of file: String) -> Int {
        var status = stat()
        return stat(file, &status) == 0 ? Int(status.st_size) : 0
    }
}
