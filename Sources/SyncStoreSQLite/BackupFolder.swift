import Foundation
import GRDB
package import SyncProtocol
package import SyncStore

/// A folder with the backups of one database. Their names are made of the database's name and the time, as in
/// `plans-2026-06-01T031500Z.db`. A file `plans.backups` in the folder records which database that is. So two databases
/// with the same name don't mistake each other's backups for their own.
///
/// The files that the backups name are in a folder `plans-files`, each once. A file goes with the last backup that
/// names it.
package struct BackupFolder: Sendable {
    package let path: String
    private let database: String
    /// The store that has the database open in this process; nil if none has.
    private let store: SQLiteStore?
    /// The end of a backup's name.
    private static let ending = "Z.db"
    /// The end of the name of the folder with files.
    private static let filesEnding = "-files"
    private var stem: String { URL(filePath: database).deletingPathExtension().lastPathComponent }

    package init(_ path: String, of database: String, open store: SQLiteStore? = nil) {
        self.path = path
        self.database = database
        self.store = store
    }

    /// Whether the path exists and is a folder.
    package var exists: Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// Why no file can be made in the folder, in the system's words; nil if one can. Tries it.
    package func whyNotWritable() -> String? {
        let file = "\(path)/.tidemark-\(UUID().uuidString)"
        let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return String(cString: strerror(errno)) }
        close(descriptor)
        return unlink(file) == 0 ? nil : String(cString: strerror(errno))
    }

    /// The time of the newest backup; nil if there is none. Ignores
    /// backups dated after `now`, made while a clock was wrong.
    package func newest(at now: Instant) throws -> Instant? {
        try times().filter { $0 <= now }.max()
    }

    /// The path of the newest backup; nil if there is none.
    package func newest() throws -> String? { try times().max().map(file) }

    /// The finished backups, in any order. One that is removed meanwhile is left out.
    package func backups() throws -> [(name: String, at: Instant, bytes: Int)] {
        try times().compactMap { time in
            let path = file(time)
            let bytes = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            return bytes.map { (URL(filePath: path).lastPathComponent, time, $0) }
        }
    }

    /// The path of the backup with this name.
    package func file(named name: String) -> String { inFolder(name) }

    /// Makes a backup, then removes all but the newest `keep`; with nil it removes
    /// none. Throws a `StoreError` if the folder belongs to another database, and
    /// everything that `Backup` throws. After an error no older backup was removed.
    ///
    /// `copying` makes what copies the database's files into a folder; without it they are left out.
    package func backUp(
        at now: Instant, keep: Int?, as form: Backup.Form = .pages,
        copying: ((_ folder: String) -> any FileBackup)? = nil, until interruption: Interruption = Interruption()
    ) throws -> BackupResult {
        try claim()
        removeUnfinished()
        let files = copying?(inFolder(stem + BackupFolder.filesEnding))
        var result = try Backup(
            of: database, open: store, to: file(now), as: form, files: files, until: interruption
        ).run()
        guard let keep else { return result }
        result.removed = try prune(at: now, keep: keep)
        // A backup that can't be read may name any file.
        do { try files?.prune(named) } catch is DatabaseError {}
        return result
    }

    /// The places that begin with the prefix and that a backup names.
    private func named(_ prefix: String) throws -> Set<String> {
        try times().reduce(into: []) { $0.formUnion(try NamedFiles(of: file($1)).places(prefix)) }
    }

    /// The folder with the files of a backup that lies in a folder of backups; nil for any other file.
    package static func files(ofBackup path: String) -> String? {
        let url = URL(filePath: path)
        return parts(of: url.lastPathComponent).map { parts in
            url.deletingLastPathComponent().appending(path: parts.stem + filesEnding).path(percentEncoded: false)
        }
    }

    private func claim() throws {
        let mark = inFolder(stem + ".backups")
        let place = URL(filePath: database).resolvingSymlinksInPath().path(percentEncoded: false)
        guard let owner = try? String(contentsOfFile: mark, encoding: .utf8) else {
            return try write(place, to: mark)
        }
        // Earlier versions made it with the rights that the process gives.
        chmod(mark, 0o600)
        guard owner == place else {
            throw StoreError(
                "\(path) already holds the backups of another database, \(owner).",
                hint: "Use another folder for the backups of \(place). If the database was moved, delete \(mark).")
        }
    }

    private func write(_ text: String, to mark: String) throws {
        let bytes = Array(text.utf8)
        let descriptor = open(mark, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        let isWritten = descriptor >= 0 && Foundation.write(descriptor, bytes, bytes.count) == bytes.count
        if descriptor >= 0 { close(descriptor) }
        guard isWritten else {
            if descriptor >= 0 { unlink(mark) }
            throw StoreError("Can't write \(mark).", hint: "Check the folder's rights and free space.")
        }
    }

    /// Removes the unfinished copies of processes that ended during a backup.
    private func removeUnfinished() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where name.hasPrefix(stem + "-") {
            let parts = name.components(separatedBy: BackupFolder.ending + UnfinishedFile.mark)
            guard parts.count == 2, let process = pid_t(BackupFolder.withoutCompanion(parts[1])) else { continue }
            let isOver = process == getpid() || (kill(process, 0) != 0 && errno == ESRCH)
            if isOver { unlink(inFolder(name)) }
        }
    }

    private static func withoutCompanion(_ process: String) -> String {
        UnfinishedFile.companions.first { process.hasSuffix($0) }.map { String(process.dropLast($0.count)) } ?? process
    }

    /// Returns the files that were removed. A backup dated after `now` was in fact made before it, so it goes first. A
    /// file that can't be removed, or that is itself open as a database, stays.
    private func prune(at now: Instant, keep: Int) throws -> [String] {
        let oldestFirst = try times().sorted { ($0 <= now ? 1 : 0, $0) < ($1 <= now ? 1 : 0, $1) }
        let files = oldestFirst.dropLast(max(keep, 1)).map(file)
        return files.filter { !FileManager.default.fileExists(atPath: $0 + "-lock") && unlink($0) == 0 }
    }

    private func times() throws -> [Instant] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw StoreError("Can't list the folder \(path).", hint: "Check its rights.")
        }
        return names.compactMap(BackupFolder.parts).filter { $0.stem == stem }.map(\.time)
    }

    /// What the name of a backup is made of; nil for any other name.
    private static func parts(of name: String) -> (stem: String, time: Instant)? {
        guard name.hasSuffix(ending) else { return nil }
        let digits = Array(name.dropLast(ending.count).suffix(17))
        guard digits.count == 17, let time = Instant(instant(digits)), label(time) == String(digits) else { return nil }
        let stem = name.dropLast(ending.count + digits.count)
        return stem.last == "-" ? (String(stem.dropLast()), time) : nil
    }

    private func file(_ time: Instant) -> String {
        inFolder("\(stem)-\(BackupFolder.label(time))\(BackupFolder.ending)")
    }

    private func inFolder(_ name: String) -> String {
        URL(filePath: path).appending(path: name).path(percentEncoded: false)
    }

    /// As in `2026-06-01T031500`: it sorts like the time and is a valid file name everywhere.
    private static func label(_ time: Instant) -> String {
        String(time.text.prefix(19).filter { $0 != ":" })
    }

    private static func instant(_ label: [Character]) -> String {
        String(label[0..<13]) + ":" + String(label[13..<15]) + ":" + String(label[15..<17]) + "Z"
    }
}

/// The result of a backup.
package struct BackupResult: Sendable {
    package let file: String
    /// The size of the backup.
    package let bytes: Int
    /// The older backups that were removed after it was made.
    package fileprivate(set) var removed: [String] = []
    /// What became of the files that the database names.
    package let files: FileCopies
    /// Whether the copy was checked. One of an older version can't be.
    package let isChecked: Bool

    init(file: String, bytes: Int, files: FileCopies, isChecked: Bool) {
        self.file = file
        self.bytes = bytes
        self.files = files
        self.isChecked = isChecked
    }
}
