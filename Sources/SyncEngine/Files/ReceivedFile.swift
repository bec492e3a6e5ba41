import Crypto
import NIOCore
import SyncProtocol
import SyncStore

/// A file whose bytes are kept, and not recorded yet.
struct ReceivedFile {
    let digest: String
    let size: Int64
    let place: String

    /// How many bytes are written at once. Bodies come in pieces of any size.
    private static let portion = 128 << 10

    /// Reads the body to its end. Throws `file_too_large`, `digest_mismatch`, and what the store throws.
    init<Body: AsyncSequence>(
        _ digest: String, from body: Body, in files: any FileStore, limits: FileLimits, newID: NewID
    ) async throws where Body.Element == ByteBuffer {
        self.digest = digest
        place = "\(digest.prefix(2))/\(digest).\(newID())"
        let file = try await files.begin()
        do {
            var hash = SHA256()
            var count: Int64 = 0
            var waiting = ByteBuffer()
            for try await part in body {
                count += Int64(part.readableBytes)
                try limits.requireSize(count)
                part.withUnsafeReadableBytes { hash.update(bufferPointer: $0) }
                waiting.writeImmutableBuffer(part)
                guard waiting.readableBytes >= ReceivedFile.portion else { continue }
                try await file.append(waiting)
                waiting.clear()
            }
            try await file.append(waiting)
            size = count
            guard Array(hash.finalize()).hex == digest else {
                throw Problem(.digestMismatch, "The bytes have another SHA-256 than the path says. Nothing was kept.")
            }
            try await file.keep(as: place)
        } catch {
            await file.discard()
            throw error
        }
    }
}
