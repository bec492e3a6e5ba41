import Crypto
import Foundation
import SyncProtocol
import SyncStore

/// The files of a `FileFolder`, through calls that block.
struct FolderFiles: Sendable {
    /// Stands between the name of a copy and the id of the process that makes it.
    private static let unfinished = ".unfinished-"
    private static let portion = 1 << 20
    private static let digits = Set("0123456789abcdef".utf8)

    let root: String

    func path(of place: String) -> String { root + "/" + place }

    /// Nil if there is no such file.
    func size(of place: String) -> Int64? {
        var status = stat()
        guard stat(path(of: place), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// Nil if it can't be read to its end.
    func digest(of place: String) -> String? {
        var hash = SHA256()
        guard read(place, { hash.update(bufferPointer: $0) }) else { return nil }
        return Array(hash.finalize()).hex
    }

    /// Copies a file of another folder, and syncs the copy. Returns false if the bytes lack the digest; then there
    /// is no copy. Its folder is made, and still has to be synced.
    func copy(_ file: StoredFile, from source: FolderFiles) throws -> Bool {
        try makeFolder(root)
        try makeFolder(folder(of: file.place))
        let path = path(of: file.place)
        let temporary = path + FolderFiles.unfinished + "\(getpid())"
        unlink(temporary)
        let target = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw failure("Can't write \(temporary)") }
        defer {
            close(target)
            unlink(temporary)
        }
        var hash = SHA256()
        var problem: StoreError?
        let isWhole = source.read(file.place) { bytes in
            hash.update(bufferPointer: bytes)
            if problem == nil, !FolderFiles.write(bytes, to: target) { problem = failure("Can't write \(temporary)") }
        }
        if let problem { throw problem }
        guard isWhole, Array(hash.finalize()).hex == file.digest else { return false }
        guard fsync(target) == 0 else { throw failure("Can't write \(temporary) to the disk") }
        guard rename(temporary, path) == 0 else { throw failure("Can't name the file \(path)") }
        return true
    }

    /// The folder in which the file is.
    func folder(of place: String) -> String { path(of: String(place.prefix(2))) }

    /// The first two characters of all places.
    func prefixes() -> [String] {
        names(in: root).filter { $0.utf8.count == 2 && $0.utf8.allSatisfy(Self.digits.contains) }
    }

    /// The sizes of the files whose places begin with the prefix, by place.
    func files(_ prefix: String) -> [String: Int64] {
        let places = names(in: path(of: prefix)).map { prefix + "/" + $0 }
        return Dictionary(uniqueKeysWithValues: places.compactMap { place in size(of: place).map { (place, $0) } })
    }

    /// Syncs a folder.
    func sync(_ folder: String) throws {
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure("Can't open \(folder)") }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure("Can't write \(folder) to the disk") }
    }

    private func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    private func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("Can't make the folder \(path)") }
    }

    /// Calls `body` with all bytes of the file. Returns false if it can't be read to its end.
    private func read(_ place: String, _ body: (UnsafeRawBufferPointer) -> Void) -> Bool {
        let descriptor = open(path(of: place), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return withUnsafeTemporaryAllocation(byteCount: FolderFiles.portion, alignment: 16) { buffer in
            while true {
                let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count)
                guard count != 0 else { return true }
                guard count > 0 else {
                    if errno == EINTR { continue }
                    return false
                }
                body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private func failure(_ what: String) -> StoreError {
        StoreError("\(what): \(String(cString: strerror(errno))).", hint: "Check the folder's rights and free space.")
    }
}
