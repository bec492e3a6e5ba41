import CZlib
import NIOCore

/// RFC 1952, by zlib.
enum Gzip {
    /// The body compressed in one go; nil when zlib has no memory.
    static func compress(_ body: ByteBuffer) -> ByteBuffer? { GzipStream(.once)?.pack(body, isLast: true) }
}
