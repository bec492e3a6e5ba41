import CZlib
import NIOCore

/// Inflates gzip (RFC 1952) by zlib, one body after the other. For one event loop.
final class Gunzip {
    /// Inflated bodies longer than this are refused.
    private static let limit = 256 << 20

    /// On the heap, because zlib keeps the address. Freed in `deinit`, and never handed out.
    private let stream: UnsafeMutablePointer<z_stream>
    private var output = ByteBuffer()

    /// Nil when zlib has no memory.
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 window bits, and 16 more for the gzip header.
        let opened = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard opened == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// The text of a whole body of one or more members; nil where it is damaged or cut. Good until the next call.
    func inflated(_ body: ByteBuffer) -> ByteBuffer? {
        output.clear()
        inflateReset(stream)
        let isWhole = body.withUnsafeReadableBytes { input in
            // zlib does not write to its input; the pointers are valid inside of the closure, where it takes all of it.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            return run()
        }
        return isWhole ? output : nil
    }

    private func run() -> Bool {
        while output.readableBytes <= Self.limit {
            var status = Z_OK
            output.writeWithUnsafeMutableBytes(minimumWritableBytes: 128 << 10) { room in
                stream.pointee.next_out = room.bindMemory(to: UInt8.self).baseAddress
                stream.pointee.avail_out = UInt32(room.count)
                status = inflate(stream, Z_NO_FLUSH)
                return room.count - Int(stream.pointee.avail_out)
            }
            if status == Z_STREAM_END {
                if stream.pointee.avail_in == 0 { return true }
                guard inflateReset(stream) == Z_OK else { return false }
            } else if status != Z_OK {
                return false
            }
        }
        return false
    }
}
