package import NIOCore

/// Compresses pages in two steps: the part that many share once, the rest for each of its readers.
package protocol PagePacker: Sendable {
    /// Nil where there is no memory for it.
    func start(_ bytes: ByteBuffer) -> PackedStart?
    /// What goes behind `start`, so that both together unpack to its bytes and `tail`.
    func end(of start: PackedStart, _ tail: ByteBuffer) -> ByteBuffer
}
