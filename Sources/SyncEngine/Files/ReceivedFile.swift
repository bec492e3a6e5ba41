import Crypto
import NIOCore
import SyncProtocol
import SyncStore

/// A file whose bytes are kept, and not recorded yet.
struct ReceivedFile: Sendable {
    let digest: String
    let size: Int64
    let place: String

    /// Reads the body to its end. Throws `file_too_large`, `digest_mismatch`, and what the store throws.
    /// Then nothing is kept.
    init<Body: AsyncSequence>(
        _ digest: String, from body: Body, in files: any FileStore, limits: FileLimits, newID: NewID
    ) async throws where Body.Element == ByteBuffer {
        let part = try await ReceivedPart(in: files)
        do {
            for try await bytes in body {
                try await limits.requireSize(part.count + Int64(bytes.readableBytes))
                try await part.append(bytes)
            }
            try await self.init(digest, part, newID: newID)
        } catch {
            await part.discard()
            throw error
        }
    }

    /// Keeps what was received. Throws `digest_mismatch`, and what the store throws; then the part is as it was.
    init(_ digest: String, _ part: ReceivedPart, newID: NewID) async throws {
        self.digest = digest
        place = "\(digest.prefix(2))/\(digest).\(newID())"
        size = await part.count
        try await part.keep(digest, as: place)
    }
}

/// Bytes that are being received into a file of the store. It has to end with `keep`, `leave` or `discard`. If a call
/// throws, it can be called again.
actor ReceivedPart {
    /// How many bytes are written at least at once. Bodies come in pieces of any size, and a hundred may come at once.
    private static let portion = 64 << 10

    private let file: any NewFile
    private var hash = SHA256()
    private var waiting = ByteBuffer()
    /// How many bytes came.
    private(set) var count: Int64 = 0
    private var written: Int64 = 0
    /// How many of them neither a crash nor a power cut loses.
    private(set) var safe: Int64 = 0
    nonisolated var name: String { file.name }

    init(in files: any FileStore) async throws { file = try await files.begin() }

    func append(_ bytes: ByteBuffer) async throws {
        bytes.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
        count += Int64(bytes.readableBytes)
        if waiting.readableBytes == 0, bytes.readableBytes >= Self.portion {
            waiting = bytes
        } else {
            waiting.writeImmutableBuffer(bytes)
        }
        if waiting.readableBytes >= Self.portion { try await flush() }
    }

    /// Makes all bytes safe that came. If some can't be written, those before them are safe nevertheless.
    func sync() async throws {
        var failure: (any Error)?
        do { try await flush() } catch { failure = error }
        if safe < written {
            let count = written
            try await file.sync()
            safe = count
        }
        if let failure { throw failure }
    }

    /// Throws `digest_mismatch` if the bytes have another digest.
    func keep(_ digest: String, as place: String) async throws {
        try await flush()
        guard Array(hash.finalize()).hex == digest else {
            throw Problem(.digestMismatch, "The bytes have another SHA-256 than the path says. Nothing was kept.")
        }
        try await file.keep(as: place)
    }

    /// Leaves the bytes that are safe unfinished.
    func leave() async { if safe > 0 { await file.close() } else { await file.discard() } }

    func discard() async { await file.discard() }

    private func flush() async throws {
        guard waiting.readableBytes > 0 else { return }
        try await file.append(waiting)
        written += Int64(waiting.readableBytes)
        waiting = ByteBuffer()
    }
}
