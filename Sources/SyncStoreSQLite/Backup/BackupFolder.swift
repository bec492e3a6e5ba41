import Foundation
package import SyncProtocol

/// A folder of one database's backups, named after the database and the time, as in `plans-2026-06-01T031500Z.db`.
package struct BackupFolder: Sendable {
    package let path: String
    private let database: String
    private var stem: String { URL(filePath: database).deletingPathExtension().lastPathComponent }

    package init(_ path: String, of database: String) {
        self.path = path
        self.database = database
    }

    /// Whether it is there, and a folder.
    package var exists: Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// When the newest one was made; nil where there is none, and for those that bear a time after `now`, from a clock that
    /// was wrong.
    package func newest(at now: Timestamp) throws -> Timestamp? {
        try times().filter { $0 <= now }.max()
    }

    /// Makes one, then removes all but the newest `keep`. Throws what `Backup` throws; then nothing is removed.
    package func backUp(at now: Timestamp, keep: Int?, until interruption: Interruption = Interruption()) throws
        -> BackupResult
    {
        let file = file(now)
        let bytes = try Backup(of: database, to: file, until: interruption).run()
        return BackupResult(file: file, bytes: bytes, removed: try keep.map { try prune(at: now, keep: $0) } ?? [])
    }

    /// Returns what was removed. What bears a time after `now` was made before it all the same, and so goes first.
    private func prune(at now: Timestamp, keep: Int) throws -> [String] {
        let oldestFirst = try times().sorted { ($0 <= now ? 1 : 0, $0) < ($1 <= now ? 1 : 0, $1) }
        let files = oldestFirst.dropLast(max(keep, 1)).map(file)
        for file in files { try FileManager.default.removeItem(atPath: file) }
        return files
    }

    private func times() throws -> [Timestamp] {
        try FileManager.default.contentsOfDirectory(atPath: path).compactMap { name in
            guard name.hasPrefix(stem + "-"), name.hasSuffix("Z.db") else { return nil }
            let digits = Array(name.dropFirst(stem.count + 1).dropLast(4))
            guard digits.count == 17, let time = Timestamp(BackupFolder.instant(digits)) else { return nil }
            return BackupFolder.label(time) == String(digits) ? time : nil
        }
    }

    private func file(_ time: Timestamp) -> String {
        URL(filePath: path).appending(path: "\(stem)-\(BackupFolder.label(time))Z.db").path(percentEncoded: false)
    }

    /// `2026-06-01T031500`, which sorts like the time and is a file name everywhere.
    private static func label(_ time: Timestamp) -> String {
        String(time.text.prefix(19).filter { $0 != ":" })
    }

    private static func instant(_ label: [Character]) -> String {
        String(label[0..<13]) + ":" + String(label[13..<15]) + ":" + String(label[15..<17]) + "Z"
    }
}

/// A backup that was made.
package struct BackupResult: Sendable {
    package let file: String
    package let bytes: Int
    /// Older ones that were removed for it.
    package let removed: [String]

    package init(file: String, bytes: Int, removed: [String] = []) {
        self.file = file
        self.bytes = bytes
        self.removed = removed
    }
}
