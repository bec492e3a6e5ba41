import Foundation
import SyncStore
import Synchronization

/// Says in the file itself under which name it is open, so that nobody opens it under another one. A file that is
/// mounted by itself, as into a container, has a second name that neither a link nor the number of links tells of. The
/// log and the locks of each name lie in another folder.
///
/// It is an open file description lock on a byte of the database file, one for each name:
/// https://www.gnu.org/software/libc/manual/html_node/Open-File-Description-Locks.html
/// - It is on the file because only the file is the same under each name, in each container.
/// - The bytes lie behind every byte that a database can have, and that SQLite locks:
///   https://sqlite.org/fileformat2.html#the_lock_byte_page
/// - `flock` would do as well, but on NFS it locks all bytes, and so those of SQLite.
///
/// SQLite's own locks in the file end as soon as this process closes any descriptor of it:
/// https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
/// So each connection keeps the descriptor, and none is closed before the last holder in this process has ended.
final class NameLock: Sendable {
    fileprivate struct File: Hashable {
        let device: UInt64
        let inode: UInt64

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
        }
    }

    /// What this process has open of a file.
    private struct Open {
        var descriptors: [Int32] = []
        var holders = 0
    }

    private static let open = Mutex<[File: Open]>([:])

    /// The open file, kept by everybody who has a connection to it.
    final class Keeper: Sendable {
        fileprivate let file: File
        fileprivate let descriptor: Int32

        fileprivate init?(_ path: String) {
            descriptor = Foundation.open(path, O_RDWR | O_CLOEXEC)
            var status = stat()
            guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return nil }
            let file = File(status)
            self.file = file
            NameLock.open.withLock { open in
                open[file, default: Open()].descriptors.append(descriptor)
                open[file, default: Open()].holders += 1
            }
        }

        deinit {
            NameLock.open.withLock { open in
                open[file]?.holders -= 1
                guard let last = open[file], last.holders == 0 else { return }
                for descriptor in last.descriptors { close(descriptor) }
                open[file] = nil
            }
        }
    }

    let keeper: Keeper

    /// Throws a `StoreError` if the file at `path` is open under another name, or, for whoever `holdsFile`, by somebody
    /// else who does. The file must exist.
    init(_ path: String, holdsFile: Bool) throws {
        guard let keeper = Keeper(path) else { throw NameLock.failure(path) }
        self.keeper = keeper
        try take(path, holdsFile)
    }

    deinit { unlock() }

    /// Called after the last connection has closed.
    func unlock() { _ = NameLock.set(F_UNLCK, range: NameLock.all, descriptor: keeper.descriptor) }

    /// Throws a `StoreError` if another file has got the name since.
    func requireSame(_ path: String) throws {
        guard NameLock.file(path) != keeper.file else { return }
        throw StoreError("\(path) was replaced while it was being opened.", hint: "Try again.")
    }

    /// Throws a `StoreError` if the file at `path` is open under another name, whose log a reader would not see.
    static func refuseOtherNames(_ path: String) throws {
        guard let file = file(path), let byte = byte(of: path) else { return }
        let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer {
            open.withLock { open in
                if open[file] == nil { close(descriptor) } else { open[file]?.descriptors.append(descriptor) }
            }
        }
        if isLocked(besides: byte, descriptor) { throw otherName(path) }
    }

    // MARK: Bytes

    private typealias Range = (start: Int64, count: Int64)

    /// SQLite's files have at most 2^48 bytes. The first of ours is for whoever holds the file, the others for names.
    private static let first: Int64 = 1 << 61
    private static let names: Int64 = 1 << 46
    private static let all: Range = (first, names + 1)

    private func take(_ path: String, _ holdsFile: Bool) throws {
        guard let byte = NameLock.byte(of: path) else { throw NameLock.failure(path) }
        // First told, then asked: of two that come at once, at least one sees the other.
        _ = NameLock.set(F_RDLCK, range: (byte, 1), descriptor: keeper.descriptor)
        if NameLock.isLocked(besides: byte, keeper.descriptor) { throw NameLock.otherName(path) }
        if holdsFile, !NameLock.set(F_WRLCK, range: (NameLock.first, 1), descriptor: keeper.descriptor) {
            throw StoreError.servedAlready(path)
        }
    }

    /// The byte of a name: a hash of its folder, which is the same in each container, and of its last part.
    private static func byte(of path: String) -> Int64? {
        let name = URL(filePath: path).lastPathComponent
        guard let folder = file(String(path.dropLast(name.count)) + ".") else { return nil }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        for number in [folder.device, folder.inode] {
            for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> UInt64(shift))) }
        }
        for byte in name.utf8 { add(byte) }
        return first + 1 + Int64(hash % UInt64(names))
    }

    private static func isLocked(besides byte: Int64, _ descriptor: Int32) -> Bool {
        let before: Range = (first + 1, byte - first - 1)
        let after: Range = (byte + 1, first + names - byte)
        return [before, after].contains { $0.count > 0 && isLocked($0, descriptor) }
    }

    /// Whether anybody has a lock on one of the bytes. A file system without such locks has none.
    private static func isLocked(_ range: Range, _ descriptor: Int32) -> Bool {
        var lock = request(F_WRLCK, range)
        return fcntl(descriptor, 36, &lock) == 0 && lock.l_type != Int16(F_UNLCK)  // F_OFD_GETLK
    }

    /// Returns false if somebody has a lock that excludes this one. A file system without such locks grants each.
    private static func set(_ type: Int32, range: Range, descriptor: Int32) -> Bool {
        var lock = request(type, range)
        return fcntl(descriptor, 37, &lock) == 0 || (errno != EAGAIN && errno != EACCES)  // F_OFD_SETLK
    }

    private static func request(_ type: Int32, _ range: Range) -> flock {
        flock(
            l_type: Int16(type), l_whence: Int16(SEEK_SET), l_start: off_t(range.start), l_len: off_t(range.count),
            l_pid: 0)
    }

    private static func file(_ path: String) -> File? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return File(status)
    }

    // MARK: Errors

    private static func otherName(_ path: String) -> StoreError {
        StoreError(
            "\(path) is open under another name, which has a log of its own. Both would damage the database.",
            hint: "Use the name that the server uses. If the file is mounted by itself, as into a container, mount its "
                + "folder instead.")
    }

    private static func failure(_ path: String) -> StoreError {
        StoreError(
            "Can't open \(path): \(String(cString: strerror(errno))).", hint: "Check the file's owner and rights.")
    }
}

extension StoreError {
    static func servedAlready(_ path: String) -> StoreError {
        StoreError(
            "Another server has \(path) open.", hint: "Stop it first, or use another file for this one.")
    }
}
