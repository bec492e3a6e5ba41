import SyncProtocol
import SyncStore
import Synchronization

/// The free room of disks. A disk that was low is low until a tenth more is free, so it is not told again and again.
final class DiskWatch: Sendable {
    /// Less than this is nothing: files can't be kept.
    private static let nothing: Int64 = 16 << 20

    private let folders: [WatchedFolder]
    private let limit: Int64
    private let wasLow = Mutex(Set<String>())

    /// `limit` is in bytes; 0 for none.
    init(_ folders: [WatchedFolder], limit: Int64) {
        self.folders = folders
        self.limit = limit
    }

    /// A rule for the list of causes.
    func findings(_ now: Instant) -> [CauseFinding] {
        var findings: [CauseFinding] = []
        for folder in folders {
            guard let free = folder.free() else { continue }
            if folder.isForFiles, free < Self.nothing {
                let detail = "The disk of the files, \(folder.path), is full. No file is taken."
                findings.append(CauseFinding(.diskFull, detail: detail))
            }
            guard isLow(folder, free) else { continue }
            let detail = "The disk of the \(folder.what), \(folder.path), has \(free >> 20) MiB left."
            findings.append(CauseFinding(.diskLow, detail: detail))
        }
        return findings
    }

    private func isLow(_ folder: WatchedFolder, _ free: Int64) -> Bool {
        wasLow.withLock { wasLow in
            let isLow = free < (wasLow.contains(folder.path) ? limit + limit / 10 : limit)
            if isLow { wasLow.insert(folder.path) } else { wasLow.remove(folder.path) }
            return isLow
        }
    }
}

/// A folder whose disk should have room.
package struct WatchedFolder: Sendable {
    /// What is in it: "database", "files" or "backups".
    let what: String
    let path: String
    let free: @Sendable () -> Int64?

    var isForFiles: Bool { what == "files" }

    /// `free` is the bytes that can still be written there; nil if that is not known.
    package init(_ what: String, path: String, free: (@Sendable () -> Int64?)? = nil) {
        self.what = what
        self.path = path
        self.free = free ?? { StoreMetrics.freeBytes(at: path) }
    }
}
