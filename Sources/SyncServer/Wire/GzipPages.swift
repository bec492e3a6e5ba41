import CZlib
import NIOCore
import SyncEngine

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
        var (end, rest) = (ByteBuffer(), tail)
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
