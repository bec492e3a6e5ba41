public import Foundation
import GRDB
import SyncProtocol

/// The files of a replica: photos and documents that rows name by their SHA-256.
///
/// A file is added without a network. Its bytes are copied into a folder beside the replica, and stay there until the
/// server has them and the rows that name it say so. `Syncer.watch` sends what waits, beside the syncs; an app that
/// syncs by itself calls `Syncer.sendFiles()`. Row and file are independent of each other, and neither waits for the
/// other. A client sends only what was added on it, never what somebody else's row names.
///
/// What the server has is a cache, which is bounded (`SyncOptions.fileCacheBytes`). `Syncer.openFile(_:in:)` gets what
/// is not here.
///
/// Several processes may use the files of one replica at the same time. A process may be killed at any point: what
/// `add` has returned is not lost, and what it has not is removed later.
public struct Files: Sendable {
    let replica: Replica
}

/// A file that was added here, on its way to the server.
public struct QueuedFile: Sendable, Equatable {
    /// The SHA-256, 64 lower-case hex digits.
    public let digest: String
    /// The project that it is for.
    public let project: String
    /// The name that the app has given it.
    public let name: String?
    /// How many bytes it has.
    public let size: Int64
    /// How far it is.
    public let state: State
    /// How many bytes the server has.
    public let sent: Int64
    /// The code of the last error, if one is why the file has failed or waits: the server's, such as `quota_exceeded`,
    /// or `bytes_lost`.
    public let reason: String?
    /// The sentence of that error.
    public let detail: String?

    /// How far a file is.
    public enum State: String, Sendable {
        /// Nothing of it was sent, or it has to wait.
        case waiting
        /// The server has a part of it.
        case sending
        /// The server has it.
        case stored
        /// The server does not take it, or its bytes are lost. See `Files.retry(_:in:)`.
        case failed
    }
}

/// A file on this device.
public struct LocalFile: Sendable, Equatable {
    /// Where the bytes are. Read them soon: what is in the cache may go a minute after it was opened. Do not write.
    public let url: URL
    /// JPEG, PNG, WebP or GIF where the first bytes say so, otherwise `application/octet-stream`. Never what a row
    /// says, which is a claim.
    public let type: String
    /// How many bytes it has.
    public let size: Int64
}

extension Replica {
    /// The files of this replica.
    public var files: Files { Files(replica: self) }
}

extension Files {
    /// Adds a file, and returns its digest for the row that names it. The bytes are on the disk when this returns.
    ///
    /// `project` is only needed in a replica of all projects. The same bytes are the same file; one that has failed is
    /// tried again. Throws `FileError`, and changes nothing then.
    public func add(_ bytes: Data, to project: String? = nil, name: String? = nil) throws -> String {
        try add(to: project, name: name, at: SyncEnvironment.live.wallClock()) { folder in
            let file = try folder.begin()
            try file.append(bytes)
            return file
        }
    }

    /// Adds a copy of a file, of any size. Reads all of it, so call this off the main thread. Otherwise like
    /// `add(_:to:name:)`.
    public func add(contentsOf url: URL, to project: String? = nil, name: String? = nil) throws -> String {
        try add(to: project, name: name, at: SyncEnvironment.live.wallClock()) { try $0.copy(url) }
    }

    /// The file, if its bytes are here. Throws `FileError`.
    public func local(_ digest: String, in project: String? = nil) throws -> LocalFile? {
        try local(digest, in: project, at: SyncEnvironment.live.wallClock())
    }

    /// How far a file is that was added here; nil if none was, or if it has left the cache.
    public func state(_ digest: String, in project: String? = nil) throws -> QueuedFile? {
        let project = try place(digest, project)
        return try replica.read { try FileTable(db: $0).find(digest, in: project) }.map(QueuedFile.init)
    }

    /// The files that the server does not have yet, in the order in which they were added.
    public func list() throws -> [QueuedFile] {
        try replica.read { try FileTable(db: $0).unsent() }.map(QueuedFile.init)
    }

    /// Lets a file that has failed be tried again. Does nothing to others. Throws `FileError.unknownFile`.
    public func retry(_ digest: String, in project: String? = nil) throws {
        let project = try place(digest, project)
        try replica.writeDurably { db in
            guard var entry = try FileTable(db: db).find(digest, in: project) else {
                throw FileError.unknownFile(digest)
            }
            guard entry.state == .failed else { return }
            entry.state = .waiting
            entry.voids = 0
            entry.clearReason()
            try FileTable(db: db).save(entry)
        }
    }

    /// Drops a file that the server does not have, with its bytes. Does nothing if there is none. The server forgets
    /// what it has of it by itself.
    public func remove(_ digest: String, in project: String? = nil) throws {
        let project = try place(digest, project)
        let place = try replica.writeDurably { db -> String? in
            guard let entry = try FileTable(db: db).find(digest, in: project), entry.state != .stored else {
                return nil
            }
            try FileTable(db: db).remove(entry)
            return entry.place
        }
        if let place { folder.remove(place) }
    }

    /// `list()` whenever it changes, from now on. Looks at intervals of `look`.
    public func changes(look: Duration = .milliseconds(100)) -> AsyncThrowingStream<[QueuedFile], any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { stream in
            let task = Task {
                do {
                    let ear = try ReplicaEar(path: replica.path)
                    var told: [QueuedFile]?
                    while true {
                        if try ear.hasHeard(), case let files = try list(), files != told {
                            stream.yield(files)
                            told = files
                        }
                        try await Task.sleep(for: look)
                    }
                } catch {
                    stream.finish(throwing: error is CancellationError ? nil : error)
                }
            }
            stream.onTermination = { _ in task.cancel() }
        }
    }
}

// MARK: Inside the client

extension Files {
    /// For how long the server surely has what it took, whether a row names it or not.
    private static let sure = Duration.seconds(86_400)
    /// For how long a file that was opened stays.
    private static let opened = Duration.seconds(60)
    /// After which time a file of no entry is left over. It has its entry at once, except while others write.
    private static let leftOver: TimeInterval = 600

    var folder: ReplicaFolder { ReplicaFolder(of: replica.path) }

    func add(
        to project: String?, name: String?, at now: Instant, _ write: (ReplicaFolder) throws -> NewReplicaFile
    ) throws -> String {
        guard let project = try self.project(project) else { throw FileError.needsProject }
        let file = try write(folder)
        let entry = FileEntry(
            number: 0, digest: file.digest, project: project, name: name, size: file.size, place: try file.keep(),
            type: file.type, state: .waiting, usedAt: now)
        let stored = try store(entry) { known in
            let isUnderWay = known.state == .waiting || known.state == .sending
            let isSafe = known.state == .stored && (known.sentAt.map { now < $0.advanced(by: Self.sure) } ?? false)
            var kept = isUnderWay || isSafe ? known : entry
            kept.name = name ?? known.name
            return kept
        }
        return stored.digest
    }

    /// How many bytes of files are kept that the server has.
    func cachedBytes() throws -> Int64 {
        try replica.read { try FileTable(db: $0).stored() }.reduce(0) { $0 + $1.size }
    }

    /// Adds a file that came from the server. One that is to be sent stays so.
    func cache(_ file: NewReplicaFile, of project: String, at now: Instant, keeping bytes: Int64) throws -> LocalFile {
        let entry = FileEntry(
            number: 0, digest: file.digest, project: project, size: file.size, place: try file.keep(),
            type: file.type, state: .stored, usedAt: now)
        let stored = try store(entry) { known in
            var kept = known
            kept.usedAt = now
            return kept
        }
        try trim(to: bytes, at: now)
        return stored.file(in: folder)
    }

    /// Stores the entry, or what `merge` makes of the one of the same file. Its bytes are those that are here already,
    /// if they are: somebody may be reading them.
    private func store(_ entry: FileEntry, _ merge: (FileEntry) -> FileEntry) throws -> FileEntry {
        var places: Set = [entry.place]
        defer { places.forEach(folder.remove) }
        return try replica.writeDurably { db in
            let known = try FileTable(db: db).find(entry.digest, in: entry.project)
            var stored = known.map(merge) ?? entry
            stored.place = known.map(\.place).flatMap { folder.size(of: $0) == entry.size ? $0 : nil } ?? entry.place
            try FileTable(db: db).save(stored)
            if let known { places.insert(known.place) }
            places.remove(stored.place)
            return stored
        }
    }

    func local(_ digest: String, in project: String?, at now: Instant) throws -> LocalFile? {
        let project = try place(digest, project)
        guard let entry = try replica.read({ try FileTable(db: $0).find(digest, in: project) }),
            folder.size(of: entry.place) == entry.size
        else { return nil }
        try replica.write { try FileTable(db: $0).use(entry, at: now) }
        return entry.file(in: folder)
    }

    /// Changes an entry, and returns it. Nil, and nothing is changed, if it was removed meanwhile or the server has it.
    func note(unsent entry: FileEntry, _ change: (inout FileEntry) -> Void) throws -> FileEntry? {
        try replica.write { db in
            let table = FileTable(db: db)
            guard let known = try table.find(entry.digest, in: entry.project), known.state != .stored else {
                return nil
            }
            var changed = known
            change(&changed)
            // A commit without a change would be heard as one.
            if changed != known { try table.save(changed) }
            return changed
        }
    }

    /// Drops what was not used for longest, until the cache has no more than so many bytes. What was added here and is
    /// named by a row that does not say `stored` is no cache.
    func trim(to bytes: Int64, at now: Instant) throws {
        let schema = try replica.schema()
        let dropped = try replica.write { db -> [FileEntry] in
            let cached = try FileTable(db: db).stored()
            var left = cached.reduce(0) { $0 + $1.size }
            guard left > bytes else { return [] }
            let pending = try FileRows(schema, db).pending()
            let old = cached.filter { entry in
                guard entry.usedAt < now.advanced(by: .zero - Self.opened) else { return false }
                return entry.sentAt == nil || !pending.contains(entry.digest)
            }
            let dropped = old.prefix { entry in
                defer { left -= entry.size }
                return left > bytes
            }
            for entry in dropped { try FileTable(db: db).remove(entry) }
            return Array(dropped)
        }
        for entry in dropped { folder.remove(entry.place) }
    }

    /// Removes what processes that ended have left in the folder, and the bytes of files that were forgotten.
    func sweep(at now: Instant) throws {
        let date = Date(timeIntervalSince1970: Double(now.milliseconds) / 1000 - Self.leftOver)
        folder.sweep(keeping: try replica.read { try FileTable(db: $0).places() }, before: date)
    }

    /// Lets files be sent again of which a row says that the server does not have them, and which it had before all
    /// rows came anew: it was restored. Once each time, so nobody else's row makes this device send without end.
    func resend() throws {
        let schema = try replica.schema()
        let epoch = try replica.state().epoch
        let old = try replica.read { try FileTable(db: $0).stored() }.filter { $0.sentAt != nil && $0.epoch < epoch }
        guard !old.isEmpty else { return }
        try replica.write { db in
            let pending = try FileRows(schema, db).pending(synced: true)
            for entry in old where pending.contains(entry.digest) {
                guard var entry = try FileTable(db: db).find(entry.digest, in: entry.project), entry.state == .stored
                else { continue }
                entry.state = .waiting
                entry.sent = 0
                entry.upload = nil
                try FileTable(db: db).save(entry)
            }
        }
    }

    func hasWaiting() throws -> Bool { try replica.read { try FileTable(db: $0).hasWaiting() } }

    func unsent() throws -> [FileEntry] { try replica.read { try FileTable(db: $0).unsent() } }

    /// Whether nothing was ever added or opened.
    func isUntouched() throws -> Bool { !FileManager.default.fileExists(atPath: folder.path) }

    /// Whether the server may know the project later: it was made here, and has not been sent.
    func isNew(project: String) throws -> Bool {
        guard let projects = try replica.schema()?[ProjectColumn.collection] else { return false }
        return try replica.read { try RowTable($0, projects).row(project)?.status == .created }
    }

    /// The project of a file; nil if any will do.
    func place(_ digest: String, _ project: String?) throws -> String? {
        guard digest.isFileDigest else { throw FileError.noDigest(digest) }
        return try self.project(project)
    }

    private func project(_ named: String?) throws -> String? {
        if let named, !RowID.isValid(named) { throw FileError.invalidProject(named) }
        guard let own = try replica.state().project else { return named }
        guard named == nil || named == own else { throw FileError.otherProject(named ?? "") }
        return own
    }
}

extension FileEntry {
    mutating func clearReason() {
        reason = nil
        detail = nil
    }

    fileprivate func file(in folder: ReplicaFolder) -> LocalFile {
        LocalFile(url: folder.url(of: place), type: type, size: size)
    }
}

extension QueuedFile {
    init(_ entry: FileEntry) {
        self.init(
            digest: entry.digest, project: entry.project, name: entry.name, size: entry.size, state: entry.state,
            sent: entry.sent, reason: entry.reason, detail: entry.detail)
    }
}
