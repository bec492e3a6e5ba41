package import NIOCore

/// Compresses pages in two steps: once for the part that many readers share, and once per reader for the rest.
package protocol PagePacker: Sendable {
    /// Nil if there is no memory for it.
    func start(_ bytes: ByteBuffer) -> PackedStart?
    /// The bytes to append to `start`. Both together unpack to the bytes of `start`, followed by `tail`.
    func end(of start: PackedStart, _ tail: ByteBuffer) -> ByteBuffer
}
