import Foundation
package import SyncStore
import Synchronization

/// Copies files of a `FileFolder` into another one, which a server can then use. A copy that is there stays: no name is
/// ever used twice. Several processes may copy at once.
package final class FolderBackup: FileBackup {
    private let source: FolderFiles
    private let target: FolderFiles
    /// The folders that got copies, and were not synced since.
    private let touched = Mutex<Set<String>>([])

    package init(from source: String, to target: String) {
        self.source = FolderFiles(root: source)
        self.target = FolderFiles(root: target)
    }

    package func copy(_ file: StoredFile) throws -> FileCopy {
        if target.size(of: file.place) == file.size { return .there }
        guard source.size(of: file.place) == file.size, try target.copy(file, from: source) else { return .lost }
        touched.withLock { _ = $0.insert(target.folder(of: file.place)) }
        return .copied
    }

    package func finish() throws {
        let folders = touched.withLock { folders in
            defer { folders = [] }
            return folders
        }
        guard !folders.isEmpty else { return }
        for folder in folders.sorted() { try target.sync(folder) }
        try target.sync(target.root)
        try target.sync(URL(filePath: target.root).deletingLastPathComponent().path(percentEncoded: false))
    }

    package func prune(_ kept: (_ prefix: String) throws -> Set<String>) throws {
        // What is kept is read from all backups, so for many prefixes at once.
        let groups = Dictionary(grouping: target.prefixes()) { $0.prefix(1) }
        for (start, prefixes) in groups {
            let kept = try kept(String(start))
            for place in prefixes.flatMap(target.files).map(\.key) where !kept.contains(place) {
                unlink(target.path(of: place))
            }
        }
    }
}
