import Crypto
import Foundation
import SyncProtocol

/// The bytes of a replica's files, in a folder beside it. A name is used once, so nothing that is read is ever written
/// again. What no entry of the replica names is left over from a process that ended.
struct ReplicaFolder: Sendable {
    private static let portion = 1 << 20
    private static let unfinished = ".unfinished"

    let path: String

    init(of replica: String) { path = replica + "-files" }

    func url(of place: String) -> URL { URL(filePath: path).appending(path: place) }

    /// How many bytes there are; nil if there is no such file.
    func size(of place: String) -> Int64? {
        (try? FileManager.default.attributesOfItem(atPath: url(of: place).path(percentEncoded: false)))?[.size]
            .flatMap { ($0 as? NSNumber)?.int64Value }
    }

    /// Some bytes of a file. Throws `FileError.bytesLost` if it does not have them, and `unreadable` if that is not
    /// known, as on a device that is locked.
    func read(_ place: String, of digest: String, at offset: Int64, count: Int) throws -> Data {
        do {
            let file = try FileHandle(forReadingFrom: url(of: place))
            defer { try? file.close() }
            try file.seek(toOffset: UInt64(offset))
            let bytes = try file.read(upToCount: count) ?? Data()
            if bytes.count == count { return bytes }
        } catch let error as CocoaError where ![.fileNoSuchFile, .fileReadNoSuchFile].contains(error.code) {
            throw FileError.unreadable(
                path: url(of: place).path(percentEncoded: false), reason: "it can't be opened now")
        }
        throw FileError.bytesLost(digest)
    }

    func remove(_ place: String) { try? FileManager.default.removeItem(at: url(of: place)) }

    /// Begins a file.
    func begin() throws -> NewReplicaFile {
        if mkdir(path, 0o700) == 0 {
            try ReplicaFolder.sync(URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false))
        } else if errno != EEXIST {
            throw FileError.notStored(path: path, reason: ReplicaRights.reason(errno))
        }
        return try NewReplicaFile(in: path, name: UUID().uuidString.lowercased() + Self.unfinished)
    }

    /// Copies a file into the folder.
    func copy(_ source: URL) throws -> NewReplicaFile {
        let source = (source, path: source.path(percentEncoded: false))
        guard let file = try? FileHandle(forReadingFrom: source.0) else {
            throw FileError.unreadable(path: source.path, reason: "it is not there, or this user may not read it")
        }
        defer { try? file.close() }
        let copy = try begin()
        do {
            while let bytes = try Self.next(of: file, source.path), !bytes.isEmpty { try copy.append(bytes) }
        } catch {
            copy.discard()
            throw error
        }
        return copy
    }

    /// Syncs a folder: the names in it are on the disk then.
    fileprivate static func sync(_ folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw FileError.notStored(path: folder, reason: ReplicaRights.reason(errno))
        }
    }

    private static func next(of file: FileHandle, _ path: String) throws -> Data? {
        do { return try file.read(upToCount: portion) } catch {
            throw FileError.unreadable(path: path, reason: "it is no file, or the disk fails")
        }
    }

    /// Removes what none of these names and was last written before the time. The file of a lock stays.
    func sweep(keeping places: Set<String>, before date: Date) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where !places.contains(name) && !name.hasPrefix(".") {
            let changed = (try? FileManager.default.attributesOfItem(atPath: path + "/" + name))?[.modificationDate]
            if let changed = changed as? Date, changed < date { remove(name) }
        }
    }
}

/// A file that is being received. It has to end with `keep` or `discard`.
final class NewReplicaFile {
    private let folder: String
    private let name: String
    private let descriptor: Int32
    private var hash = SHA256()
    private(set) var size: Int64 = 0
    private var start: [UInt8] = []
    /// What its first bytes say.
    var type: String { FileType(beginning: start).mediaType }
    /// The SHA-256 of what was appended.
    var digest: String { Array(hash.finalize()).hex }

    private var path: String { folder + "/" + name }

    fileprivate init(in folder: String, name: String) throws {
        self.folder = folder
        self.name = name
        descriptor = open(folder + "/" + name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw FileError.notStored(path: folder + "/" + name, reason: ReplicaRights.reason(errno))
        }
    }

    deinit { close(descriptor) }

    func append(_ bytes: Data) throws {
        hash.update(data: bytes)
        start += bytes.prefix(FileType.decisive - start.count)
        size += Int64(bytes.count)
        try bytes.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = write(descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done)
                guard count > 0 || errno == EINTR else { throw failure() }
                done += max(count, 0)
            }
        }
    }

    /// Returns the place that it has now. A power cut does not lose it.
    func keep() throws -> String {
        let place = digest + "." + name.prefix { $0 != "." }
        guard fsync(descriptor) == 0, rename(path, folder + "/" + place) == 0 else { throw failure() }
        try ReplicaFolder.sync(folder)
        return place
    }

    func discard() { unlink(path) }

    /// Removes what was written.
    private func failure() -> FileError {
        let reason = ReplicaRights.reason(errno)
        discard()
        return .notStored(path: path, reason: reason)
    }
}
