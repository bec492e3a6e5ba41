package import NIOCore
package import SyncProtocol

/// A whole drain, on its way. The drain's read transaction ends with this value, if not before.
package final class PullStream: Sendable {
    /// The project's head, and the drain's `timestamp`.
    package let head: SyncSeq
    /// The document's first bytes.
    package let first: ByteBuffer
    /// Whether `first` is all.
    package let isWhole: Bool
    private let pipe: ChunkPipe

    init(head: SyncSeq, first: ChunkPipe.Chunk, pipe: ChunkPipe) {
        self.head = head
        self.first = first.bytes
        isWhole = first.isLast
        self.pipe = pipe
    }

    deinit { pipe.abandon() }

    /// The bytes behind those before, and whether they are the last. Not to be called when there are no more. Throws
    /// `StreamCut.stalled` and what the store throws: the document can't be ended then.
    package func next() async throws -> (bytes: ByteBuffer, isLast: Bool) {
        let chunk = try await pipe.take()
        return (chunk.bytes, chunk.isLast)
    }

    /// Calls `body` when the stream breaks, at once where it has: sending may be held up, and `next` not be reached.
    package func onCut(_ body: @escaping @Sendable (any Error) -> Void) { pipe.onFailure(body) }

    /// Ends the read transaction: the client is gone.
    package func abandon() { pipe.abandon() }
}
