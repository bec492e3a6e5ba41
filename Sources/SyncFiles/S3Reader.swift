import NIOCore
import SyncStore

/// Reads one or more objects of a bucket as one file.
struct S3Reader: OpenFile {
    /// An object, and where it is in the file.
    struct Piece: Sendable {
        let key: String
        let start: Int64
        let size: Int64
    }

    /// The bytes of a request. Each waits for an answer, and takes so much memory.
    private static let portion: Int64 = 512 << 10

    private let pieces: [Piece]
    private let client: S3Client

    init(_ pieces: [Piece], _ client: S3Client) {
        self.pieces = pieces
        self.client = client
    }

    func read(_ range: Range<Int64>) async throws -> ByteBuffer {
        guard let piece = pieces.first(where: { ($0.start..<($0.start + $0.size)).contains(range.lowerBound) }) else {
            throw FileStoreError.failed("The file is shorter than it was.")
        }
        let first = range.lowerBound - piece.start
        let end = min(first + Self.portion, range.upperBound - piece.start, piece.size)
        var request = S3Request(method: "GET", key: piece.key)
        request.headers = [(name: "Range", value: "bytes=\(first)-\(end - 1)")]
        let answer = try await client.send(request, accepting: [200, 206])
        // A service may send all of it.
        let bytes =
            answer.status == 206
            ? answer.body : answer.body.getSlice(at: answer.body.readerIndex + Int(first), length: Int(end - first))
        guard let bytes, bytes.readableBytes == Int(end - first) else {
            throw FileStoreError.failed("\(client.bucket.name): \(piece.key) is shorter than it was.")
        }
        return bytes
    }

    func close() async {}
}
