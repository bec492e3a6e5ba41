package import NIOCore

/// The start of a compressed document.
package struct PackedStart: Sendable {
    package let bytes: ByteBuffer
    /// The checksum and the number of the uncompressed bytes.
    package let checksum: UInt32
    package let count: Int

    package init(bytes: ByteBuffer, checksum: UInt32, count: Int) {
        self.bytes = bytes
        self.checksum = checksum
        self.count = count
    }
}
