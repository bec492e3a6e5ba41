package import NIOCore

/// A page, ready to send.
package struct PageResponse: Sendable {
    /// The parts of the body, in order.
    package let parts: [ByteBuffer]
    /// Whether the body is compressed with gzip.
    package let isPacked: Bool
    /// The project's head when the page was read; of a user-wide page, the watermark of the newest commit.
    package let head: Int64
    package var content = Content.something
    /// The drain's `timestamp` if the drain ends with this page.
    package var reached: Int64?

    /// What a drain has for its reader, as far as its pages up to this one tell.
    package enum Content: Sendable, Equatable {
        case something
        /// The drain is done, and had no row and nothing to tell of projects.
        case nothing
        /// This page has nothing, and the page at the cursor may have something.
        case nothingYet(cursor: String)
    }

    /// The same page in one part.
    var joined: PageResponse { with([body], isPacked: isPacked) }

    /// The same page in other bytes.
    func with(_ parts: [ByteBuffer], isPacked: Bool) -> PageResponse {
        PageResponse(parts: parts, isPacked: isPacked, head: head, content: content, reached: reached)
    }

    /// The body in one piece.
    package var body: ByteBuffer {
        parts.dropFirst().reduce(into: parts.first ?? ByteBuffer()) { $0.writeImmutableBuffer($1) }
    }
}
