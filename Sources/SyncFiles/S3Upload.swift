import Crypto
import Foundation
import NIOCore
import SyncProtocol
import SyncStore
import Synchronization

/// A file that is being received for an S3 bucket. Its bytes are spooled; what is made safe is an object for each call
/// of `sync`, and a file that is kept is sent from the spool as a whole.
final class S3Upload: NewFile {
    /// The bytes of a part. S3 takes 10,000 of at least 5 MiB each.
    private static let partBytes: Int64 = 16 << 20

    private struct State {
        var parts: [S3Store.Part] = []
        var partHash = SHA256()
        /// Where the bytes begin that are not safe.
        var safe: Int64 = 0
        var pieceHash = SHA256()
    }

    let name: String
    private let store: S3Store
    private let spool: S3Spool
    private let state = Mutex(State())

    init(named name: String, in store: S3Store, spool folder: String) async throws {
        self.name = name
        self.store = store
        spool = try await S3Spool(in: folder)
    }

    func append(_ bytes: ByteBuffer) async throws {
        let before = spool.size
        // All of it or nothing: what throws is appended again.
        try await spool.append(bytes)
        state.withLock { state in
            var rest = bytes
            var end = before
            while rest.readableBytes > 0 {
                let start = state.parts.last?.range.upperBound ?? 0
                let room = Self.partBytes - (end - start)
                guard let some = rest.readSlice(length: Int(min(room, Int64(rest.readableBytes)))) else { return }
                end += Int64(some.readableBytes)
                some.withUnsafeReadableBytes {
                    state.partHash.update(bufferPointer: $0)
                    state.pieceHash.update(bufferPointer: $0)
                }
                guard end - start == Self.partBytes else { continue }
                state.parts.append(S3Store.Part(range: start..<end, digest: Array(state.partHash.finalize()).hex))
                state.partHash = SHA256()
            }
        }
    }

    func sync() async throws {
        let (start, digest) = state.withLock { ($0.safe, Array($0.pieceHash.finalize()).hex) }
        let end = spool.size
        guard start < end else { return }
        try await store.put(
            spool.body(start..<end), as: S3Store.key(ofUnfinished: name, start..<end), digest: digest)
        state.withLock { state in
            state.safe = end
            state.pieceHash = SHA256()
        }
    }

    func close() async { await spool.close() }

    func keep(as place: String) async throws {
        let size = spool.size
        let (known, last) = state.withLock { ($0.parts, Array($0.partHash.finalize()).hex) }
        let end = known.last?.range.upperBound ?? 0
        let parts = known + (end < size || known.isEmpty ? [S3Store.Part(range: end..<size, digest: last)] : [])
        if parts.count == 1 {
            try await store.put(spool.body(0..<size), as: S3Store.key(of: place), digest: parts[0].digest)
        } else {
            try await store.put(parts, of: spool, as: S3Store.key(of: place))
        }
        await discard()
    }

    /// Removes what was made safe, too.
    func discard() async {
        await spool.close()
        guard state.withLock({ $0.safe > 0 }) else { return }
        await Task { [store, name] in try? await store.removeUnfinished(name) }.value
    }
}

/// A file on this machine's disk without a name: it goes with the process, whatever ends it.
final class S3Spool: Sendable {
    private let descriptor: Int32
    private let count = Mutex<Int64>(0)
    private let isOpen = Mutex(true)

    /// How many bytes it has.
    var size: Int64 { count.withLock(\.self) }

    init(in folder: String) async throws {
        let path = folder + "/tidemark-\(UUID().uuidString)"
        descriptor = try await Self.off { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600) }
        guard descriptor >= 0 else {
            throw FileStoreError.failed("\(path) can't be made: \(String(cString: strerror(errno))).")
        }
        unlink(path)
    }

    deinit { if isOpen.withLock(\.self) { Foundation.close(descriptor) } }

    func append(_ bytes: ByteBuffer) async throws {
        let offset = size
        try await Self.off { [descriptor] in
            try bytes.withUnsafeReadableBytes { bytes in
                var done = 0
                while done < bytes.count {
                    let written = pwrite(
                        descriptor, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset) + done)
                    if written < 0, errno == EINTR { continue }
                    guard written > 0 else { throw Self.failure(errno) }
                    done += written
                }
            }
        }
        count.withLock { $0 += Int64(bytes.readableBytes) }
    }

    /// A part of it, as the body of a request.
    func body(_ range: Range<Int64>) -> S3Client.Body {
        S3Client.Body(length: Int64(range.count)) { [self] offset, count in
            try await Self.off { [self] in
                var buffer = ByteBuffer()
                let read = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
                    max(0, pread(descriptor, bytes.baseAddress, count, off_t(range.lowerBound + offset)))
                }
                guard read > 0 else { throw FileStoreError.failed("A spooled file can't be read.") }
                return buffer
            }
        }
    }

    func close() async {
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        if wasOpen { _ = Foundation.close(descriptor) }
    }

    private static func failure(_ number: Int32) -> FileStoreError {
        number == ENOSPC || number == EDQUOT ? .full : .failed(String(cString: strerror(number)))
    }

    /// Calls that wait for a disk are made off Swift's own threads.
    private static func off<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result(catching: body)) }
        }
    }
}
