import CZlib
import NIOCore

/// Gzip (RFC 1952), made by zlib.
enum Gzip {
    /// The body, compressed in one go; nil if zlib has no memory.
    static func compress(_ body: ByteBuffer) -> ByteBuffer? { GzipStream(.once)?.pack(body, isLast: true) }
}
