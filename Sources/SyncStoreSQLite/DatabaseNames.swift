import Foundation
import SyncProtocol
import SyncStore

/// The names that lead to a database file. SQLite puts the log beside the file itself, whatever link was used, and so
/// do we with the files that are locked: two names of one file must meet at the same locks.
struct DatabaseNames {
    /// As many links as Linux follows.
    private static let mostLinks = 40

    /// Where the file is, or will be made: no symbolic link.
    let path: String
    /// The symbolic links that lead there. Versions before this one lock files beside the link that was given to them.
    let links: [String]

    init(_ name: String) {
        var (path, links): (String, [String]) = (name, [])
        while links.count < Self.mostLinks, let next = Self.target(of: path) {
            links.append(path)
            path = next
        }
        self.path = path
        self.links = links
    }

    private static func target(of path: String) -> String? {
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return nil }
        guard !target.hasPrefix("/"), let end = path.lastIndex(of: "/") else { return target }
        return path[...end] + target
    }

    /// Locks the files with this ending: the one beside the file, and those beside the links, as far as they can be
    /// made.
    func lock(_ ending: String) throws -> FileLock {
        try FileLock(path: path + ending, also: links.map { $0 + ending })
    }

    /// Throws a `StoreError` if the file has another name, a hard link. Each name has a log of its own:
    /// https://sqlite.org/howtocorrupt.html#_multiple_links_to_the_same_file
    func refuseHardLinks() throws {
        var status = stat()
        guard stat(path, &status) == 0, status.st_nlink > 1 else { return }
        let folder = URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false)
        throw StoreError(
            "\(path) has \(status.st_nlink) names (hard links). Whoever uses another one has another log, and would "
                + "damage the database.",
            hint: "Remove the other names, or use a copy. To find names in the same folder: "
                + "find \(folder) -samefile \(path)")
    }
}

/// An advisory lock (`flock`) on a separate file next to the database. It ends with the process that holds it.
///
/// `@unchecked Sendable` because the descriptors are set once and `flock` may be called from any thread.
final class FileLock: @unchecked Sendable {
    /// In the order in which they are locked, the same for everybody.
    private let descriptors: [Int32]

    /// Locks the files called `others` too, if they can be opened.
    init(path: String, also others: [String] = []) throws {
        let first = FileLock.open(path)
        guard first >= 0 else {
            throw StoreError(
                "Can't open \(path): \(String(cString: strerror(errno))).", hint: "Check the folder's owner and rights."
            )
        }
        descriptors = [first] + others.map(FileLock.open).filter { $0 >= 0 }
    }

    deinit { for descriptor in descriptors { close(descriptor) } }

    private static func open(_ path: String) -> Int32 { Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }

    /// Takes the lock if nobody holds it. Returns whether it did.
    func tryLock() -> Bool {
        if descriptors.allSatisfy({ flock($0, LOCK_EX | LOCK_NB) == 0 }) { return true }
        unlock()
        return false
    }

    func unlock() {
        for descriptor in descriptors { flock(descriptor, LOCK_UN) }
    }

    /// Waits for the lock, and runs `body` while holding it.
    func locked<Value>(_ body: () throws -> Value) rethrows -> Value {
        for descriptor in descriptors {
            while flock(descriptor, LOCK_EX) != 0 && errno == EINTR {}
        }
        defer { unlock() }
        return try body()
    }
}
