package import NIOCore
package import SyncProtocol

/// A page, ready to be sent.
package struct PageResponse: Sendable {
    /// The body, the parts in their order.
    package let parts: [ByteBuffer]
    /// Whether the parts are in gzip.
    package let isPacked: Bool
    /// The project's head at the time of the page.
    package let head: SyncSeq

    /// The same with one part.
    var joined: PageResponse { PageResponse(parts: [body], isPacked: isPacked, head: head) }

    /// The body in one piece.
    package var body: ByteBuffer {
        parts.dropFirst().reduce(into: parts.first ?? ByteBuffer()) { $0.writeImmutableBuffer($1) }
    }
}
