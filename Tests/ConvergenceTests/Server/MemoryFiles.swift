import NIOCore
import SyncProtocol
import SyncStore
import Synchronization

/// A file store in memory. It outlives the server's processes, as a folder does, and all of it is old: what a sweep may
/// remove, it removes.
final class MemoryFiles: FileStore {
    private struct Held {
        var kept: [String: ByteBuffer] = [:]
        var unfinished: [String: ByteBuffer] = [:]
        var next = 0
    }

    private let held = Mutex(Held())

    /// The bytes of a kept file; nil if there is none.
    func bytes(of place: String) -> ByteBuffer? { held.withLock { $0.kept[place] } }

    func begin() -> any NewFile {
        let name = held.withLock { held in
            held.next += 1
            return "part-\(held.next)"
        }
        held.withLock { $0.unfinished[name] = ByteBuffer() }
        return Part(files: self, name: name)
    }

    func open(_ place: String) throws -> any OpenFile {
        guard let bytes = bytes(of: place) else { throw FileStoreError.missing(place) }
        return Opened(bytes: bytes)
    }

    func size(of place: String) -> Int64? { bytes(of: place).map { Int64($0.readableBytes) } }

    func remove(_ place: String) { _ = held.withLock { $0.kept.removeValue(forKey: place) } }

    func visitPlaces(keptBefore date: Instant, _ body: ([String]) async throws -> Void) async throws {
        try await body(held.withLock { $0.kept.keys.sorted() })
    }

    func openUnfinished(_ name: String) throws -> any OpenFile {
        guard let bytes = held.withLock({ $0.unfinished[name] }) else { throw FileStoreError.missing(name) }
        return Opened(bytes: bytes)
    }

    func size(ofUnfinished name: String) -> Int64? {
        held.withLock { $0.unfinished[name].map { Int64($0.readableBytes) } }
    }

    func removeUnfinished(_ name: String) { _ = held.withLock { $0.unfinished.removeValue(forKey: name) } }

    func unfinished(before date: Instant) -> [String] { held.withLock { $0.unfinished.keys.sorted() } }

    private struct Part: NewFile {
        let files: MemoryFiles
        let name: String

        func append(_ bytes: ByteBuffer) {
            files.held.withLock { _ = $0.unfinished[name, default: ByteBuffer()].writeImmutableBuffer(bytes) }
        }

        func sync() {}

        func close() {}

        func keep(as place: String) { files.held.withLock { $0.kept[place] = $0.unfinished.removeValue(forKey: name) } }

        func discard() { files.removeUnfinished(name) }
    }

    private struct Opened: OpenFile {
        let bytes: ByteBuffer

        func read(_ range: Range<Int64>) throws -> ByteBuffer {
            let end = min(Int(range.upperBound), bytes.readableBytes)
            guard range.lowerBound < end,
                let slice = bytes.getSlice(at: Int(range.lowerBound), length: end - Int(range.lowerBound))
            else { throw FileStoreError.missing("") }
            return slice
        }

        func close() {}
    }
}
