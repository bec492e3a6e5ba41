package import NIOCore

/// A whole drain that is being sent. The drain's read transaction ends with this value at the latest.
package final class PullStream: Sendable {
    /// The drain's `timestamp`.
    package let head: Int64
    /// The document's first bytes.
    package let first: ByteBuffer
    /// Whether `first` is the whole document.
    package let isWhole: Bool
    /// Whether the drain has no row and nothing to tell of projects.
    package let isEmpty: Bool
    private let pipe: ChunkPipe

    init(head: Int64, first: ChunkPipe.Chunk, pipe: ChunkPipe) {
        self.head = head
        self.first = first.bytes
        (isWhole, isEmpty) = (first.isLast, first.isEmpty)
        self.pipe = pipe
    }

    deinit { pipe.abandon() }

    /// The next bytes, and whether they are the last. Must not be called after the last ones. Throws
    /// `StreamCut.stalled`, and what the store throws. After an error the document can't be completed.
    package func next() async throws -> (bytes: ByteBuffer, isLast: Bool) {
        let chunk = try await pipe.take()
        return (chunk.bytes, chunk.isLast)
    }

    /// Calls `body` when the stream breaks, or at once if it is broken. A task that
    /// is blocked while it sends does not get to call `next`.
    package func onCut(_ body: @escaping @Sendable (any Error) -> Void) { pipe.onFailure(body) }

    /// Ends the read transaction, because the client is gone.
    package func abandon() { pipe.abandon() }
}
