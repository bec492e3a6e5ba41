package import NIOCore
package import SyncProtocol

/// A page, ready to send.
package struct PageResponse: Sendable {
    /// The parts of the body, in order.
    package let parts: [ByteBuffer]
    /// Whether the body is compressed with gzip.
    package let isPacked: Bool
    /// The project's head when the page was read.
    package let head: SyncSeq

    /// The same page in one part.
    var joined: PageResponse { PageResponse(parts: [body], isPacked: isPacked, head: head) }

    /// The body in one piece.
    package var body: ByteBuffer {
        parts.dropFirst().reduce(into: parts.first ?? ByteBuffer()) { $0.writeImmutableBuffer($1) }
    }
}
