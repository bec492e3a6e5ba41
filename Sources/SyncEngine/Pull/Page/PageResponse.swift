package import NIOCore

/// A page, ready to send.
package struct PageResponse: Sendable {
    /// The parts of the body, in order.
    package let parts: [ByteBuffer]
    /// Whether the body is compressed with gzip.
    package let isPacked: Bool
    /// The project's head when the page was read; of a user-wide page, the watermark of the newest commit.
    package let head: Int64

    /// The same page in one part.
    var joined: PageResponse { PageResponse(parts: [body], isPacked: isPacked, head: head) }

    /// The body in one piece.
    package var body: ByteBuffer {
        parts.dropFirst().reduce(into: parts.first ?? ByteBuffer()) { $0.writeImmutableBuffer($1) }
    }
}
