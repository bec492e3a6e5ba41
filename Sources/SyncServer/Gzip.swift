import CZlib
import NIOCore

/// RFC 1952, by zlib.
enum Gzip {
    /// Fast enough to pay on a local network; pages shrink to about a tenth at any level.
    private static let level: Int32 = 1

    /// The body compressed in one go; nil when zlib has no memory.
    static func compress(_ body: ByteBuffer) -> ByteBuffer? {
        var stream = z_stream()
        // 15 window bits, and 16 more for the gzip header.
        let opened = deflateInit2_(
            &stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard opened == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var packed = ByteBuffer()
        var result = Z_OK
        body.withUnsafeReadableBytes { input in
            // zlib does not write to its input; the pointers are valid inside the two closures, where it runs to the end.
            stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
            stream.avail_in = UInt32(input.count)
            packed.writeWithUnsafeMutableBytes(
                minimumWritableBytes: Int(deflateBound(&stream, UInt(input.count)))
            ) { output in
                stream.next_out = output.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(output.count)
                result = deflate(&stream, Z_FINISH)
                return output.count - Int(stream.avail_out)
            }
        }
        return result == Z_STREAM_END ? packed : nil
    }
}
