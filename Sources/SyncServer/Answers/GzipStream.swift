import CZlib
import NIOCore
import SyncEngine

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

/// Compresses the start that many pages share only once. The end of each page is stored uncompressed,
/// in deflate blocks of its own (RFC 1951 section 3.2.4), because it is short and mostly random.
struct GzipPages: PagePacker {
    func start(_ bytes: ByteBuffer) -> PackedStart? {
        guard let packed = GzipStream(.kept)?.pack(bytes, isLast: false) else { return nil }
        // A copy without the spare room that zlib was given.
        return PackedStart(
            bytes: ByteBuffer(bytes: packed.readableBytesView), checksum: checksum(bytes, onTopOf: 0),
            count: bytes.readableBytes)
    }

    func end(of start: PackedStart, _ tail: ByteBuffer) -> ByteBuffer {
        var end = ByteBuffer()
        var rest = tail
        end.reserveCapacity(tail.readableBytes + 32)
        repeat {
            let length = UInt16(min(rest.readableBytes, Int(UInt16.max)))
            let block = rest.readSlice(length: Int(length))!
            end.writeInteger(rest.readableBytes == 0 ? 1 : 0, as: UInt8.self)
            end.writeInteger(length, endianness: .little)
            end.writeInteger(~length, endianness: .little)
            end.writeImmutableBuffer(block)
        } while rest.readableBytes > 0
        end.writeInteger(checksum(tail, onTopOf: start.checksum), endianness: .little)
        end.writeInteger(UInt32(truncatingIfNeeded: start.count + tail.readableBytes), endianness: .little)
        return end
    }

    private func checksum(_ bytes: ByteBuffer, onTopOf before: UInt32) -> UInt32 {
        bytes.withUnsafeReadableBytes { memory in
            UInt32(crc32_z(UInt(before), memory.bindMemory(to: UInt8.self).baseAddress, memory.count))
        }
    }
}
