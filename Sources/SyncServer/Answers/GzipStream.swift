import CZlib
import NIOCore

/// Compresses a body that comes in chunks. Only one task may use it.
final class GzipStream {
    /// zlib's compression level; measured in docs/benchmarks.md.
    enum Effort: Int32 {
        /// For one reader: fast enough to pay off on a local network.
        case once = 1
        /// For bytes that many readers get.
        case kept = 6
    }

    /// On the heap, because zlib keeps the address. Freed in `deinit`, and never handed out.
    private let stream: UnsafeMutablePointer<z_stream>

    /// Nil if zlib has no memory.
    init?(_ effort: Effort) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 15 window bits; 16 more stand for the gzip header.
        let opened = deflateInit2_(
            stream, effort.rawValue, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard opened == Z_OK else { return nil }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// The chunk, compressed and flushed: a reader can unpack all of it at once. The last chunk ends the body.
    func pack(_ chunk: ByteBuffer, isLast: Bool) -> ByteBuffer {
        var packed = ByteBuffer()
        chunk.withUnsafeReadableBytes { input in
            // zlib does not write to its input. The pointers are valid
            // inside the closures, and zlib takes all of the input there.
            stream.pointee.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
            stream.pointee.avail_in = UInt32(input.count)
            let room = Int(deflateBound(stream, UInt(input.count))) + 64
            repeat { run(isLast ? Z_FINISH : Z_SYNC_FLUSH, into: &packed, room) } while stream.pointee.avail_out == 0
        }
        return packed
    }

    private func run(_ flush: Int32, into packed: inout ByteBuffer, _ room: Int) {
        packed.writeWithUnsafeMutableBytes(minimumWritableBytes: room) { output in
            stream.pointee.next_out = output.bindMemory(to: UInt8.self).baseAddress
            stream.pointee.avail_out = UInt32(output.count)
            deflate(stream, flush)
            return output.count - Int(stream.pointee.avail_out)
        }
    }
}
