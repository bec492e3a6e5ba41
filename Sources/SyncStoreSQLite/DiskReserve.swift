import Foundation
import SyncProtocol
import SyncStore
import Synchronization

/// Room on the disk that is kept for the time when the rest is full: a file beside the database, which is emptied when
/// a write finds no room. Then vital writes have its bytes. It is filled again as soon as there is room for it, and
/// until then no ordinary write is tried, since it would eat the room of the vital ones.
///
/// The file tells all processes: an empty one means that the disk is full.
package final class DiskReserve: Sendable {
    /// How many bytes are kept unless the operator says otherwise.
    package static let size = 32 << 20
    /// What has to be free besides the reserve before it is filled again: a log of the usual size. Otherwise it would
    /// be given up at once.
    private static let margin = Checkpoints.walLimit
    /// With less, a database may not even be opened.
    private static let least: Int64 = 1 << 20

    private let path: String
    /// What is kept; 0 for somebody who keeps nothing. The disk can be full all the same.
    private let size: Int
    /// Who makes and fills the file.
    private let isHolder: Bool
    private let board: TroubleBoard
    /// Held while the file is filled or emptied.
    private let filling = Mutex(())

    /// A holder, which a server is, keeps `size` bytes if there is room for them. All others obey what the file says.
    init(database path: String, size: Int, isHolder: Bool, _ board: TroubleBoard) {
        self.path = path + "-reserve"
        self.size = isHolder ? size : 0
        self.isHolder = isHolder
        self.board = board
        guard let kept else { return }
        if kept == 0 { board.note(.diskFull) }
        // Opening needs some room itself.
        let free = StoreMetrics.freeBytes(at: folder) ?? .max
        if isHolder, kept > 0, free < Self.least { giveUp() }
    }

    var isFull: Bool { board.current.contains(.diskFull) }

    /// Frees the room. From now on the disk counts as full.
    func giveUp() {
        filling.withLock { _ in
            board.note(.diskFull)
            if size > 0 || kept != nil { empty() }
        }
    }

    /// Runs `body`, and once more without the reserve if it finds the disk full.
    func spending<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let problem as Problem where problem.code == .diskFull && kept ?? 0 > 0 {
            giveUp()
            return try body()
        }
    }

    /// Notes that another process has given up the reserve. If there is room again, the disk is full no more. A holder
    /// also fills a reserve that it could not fill before.
    func look() {
        filling.withLock { _ in
            if kept == 0 { board.note(.diskFull) }
            if isFull {
                if fill() { board.clear(.diskFull) }
            } else if kept ?? 0 < size {
                _ = fill()
            }
        }
    }

    /// The bytes that the file holds; nil if there is none.
    private var kept: Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    private var folder: String { URL(filePath: path).deletingLastPathComponent().path(percentEncoded: false) }

    private var hasRoom: Bool {
        let free = StoreMetrics.freeBytes(at: folder)
        let needed = size > 0 ? size : kept == nil ? 0 : Self.size
        return free.map { $0 >= Int64(needed + Self.margin) } ?? false
    }

    /// Takes the room, as a whole or not at all. Returns whether it is there.
    private func fill() -> Bool {
        guard hasRoom else { return false }
        guard size > 0 else {
            // A server that keeps nothing has no file that says so.
            if isHolder { unlink(path) }
            return true
        }
        let descriptor = open()
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        // No disk can store these in less room.
        var random = SystemRandomNumberGenerator()
        let piece = (0..<1 << 17).map { _ in random.next() }
        var written = 0
        while written < size {
            let count = piece.withUnsafeBytes { write(descriptor, $0.baseAddress, min($0.count, size - written)) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                _ = ftruncate(descriptor, 0)
                return false
            }
            written += count
        }
        return true
    }

    private func empty() {
        let descriptor = open()
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        _ = ftruncate(descriptor, 0)
    }

    private func open() -> Int32 { Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600) }
}
