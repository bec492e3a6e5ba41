import Foundation
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
