import CZlib
import NIOCore

/// Inflates gzip (RFC 1952) with zlib, one body at a time. An instance belongs to one event loop.
final class Gunzip {
    /// The longest body after inflating, in bytes.
    private static let limit = 256 << 20

    /// zlib keeps the address, so this is on the heap. It is freed in `deinit` and never handed out.
    private let stream: UnsafeMutablePointer<z_stream>
    private var output = ByteBuffer()

    /// Nil when zlib has no memory.
    init?() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 window bits; adding 16 makes zlib expect a gzip header.
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

    /// Inflates a whole body of one or more gzip members. Nil when it is damaged, truncated or too long. The
    /// result is valid until the next call.
    func inflated(_ body: ByteBuffer) -> ByteBuffer? {
        output.clear()
        inflateReset(stream)
        let isWhole = body.withUnsafeReadableBytes { input in
            // zlib does not write to its input. The pointers are valid inside the closure, where zlib reads all of it.
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
