import CZlib
import NIOCore
import SyncEngine
@testable import SyncServer
import SyncTestKit
import Testing

/// A page in two parts is one gzip member, with nothing after it.
@Suite struct GzipPagesTests {
    @Test(arguments: [0, 1, 400, 65_535, 65_536, 200_000]) func bothPartsUnpackToWhatWentIn(tailBytes: Int) throws {
        var random = SeededGenerator(seed: UInt64(tailBytes) + 1)
        let start = (0..<10_000).map { _ in UInt8(random.below(4)) }
        let tail = (0..<tailBytes).map { _ in UInt8(random.below(256)) }
        let pages = GzipPages()
        let packed = try #require(pages.start(ByteBuffer(bytes: start)))
        let end = pages.end(of: packed, ByteBuffer(bytes: tail))
        let whole = Array(packed.bytes.readableBytesView) + Array(end.readableBytesView)
        #expect(unpacked(whole, room: start.count + tail.count) == start + tail)
    }

    /// Nil unless zlib reaches the end of the member, including its checksum, with the last byte.
    private func unpacked(_ packed: [UInt8], room: Int) -> [UInt8]? {
        var (input, stream) = (packed, z_stream())
        inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        defer { inflateEnd(&stream) }
        return input.withUnsafeMutableBufferPointer { input in
            let bytes = [UInt8](unsafeUninitializedCapacity: room + 1) { output, count in
                (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
                (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
                let code = inflate(&stream, Z_FINISH)
                count = code == Z_STREAM_END && stream.avail_in == 0 ? Int(stream.total_out) : 0
            }
            return bytes.isEmpty ? nil : bytes
        }
    }
}
