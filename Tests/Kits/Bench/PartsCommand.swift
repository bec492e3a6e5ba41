import ArgumentParser
import Foundation
import SyncEngine
import SyncProtocol
import SyncSchema
import SyncStore

/// Measures small pieces of the hot paths: the cursor, and the reading of a batch.
struct PartsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parts", abstract: "Print the nanoseconds for coding a cursor, and for reading a batch.")

    @Option(help: "A file with the body of an upload.") var batch: String

    func run() throws {
        let (registry, bytes) = (try Registry.builtIn(), Array(try Data(contentsOf: URL(filePath: batch))))
        let codec = CursorCodec(secret: "a secret of the usual length, which is forty-three characters")
        let cursor = Cursor(
            timestamp: SyncSeq(123_456), segment: 4,
            position: KeysetPosition(seq: SyncSeq(98_765), id: "0b5cde04-1a59-4a3f-9b4f-4ab0a4f8a77e"), rows: 50_000,
            total: 100_000)
        // The binding of a drain has this length.
        let binding = String(repeating: "b", count: 160)
        let text = try codec.encode(cursor, boundTo: binding)
        let body = try JSON(parsing: bytes)
        let result: JSON = [
            "cursor_encode_ns": .int(try Stopwatch.mean { _ = try codec.encode(cursor, boundTo: binding) }),
            "cursor_decode_ns": .int(try Stopwatch.mean { _ = try codec.decode(text, boundTo: binding) }),
            "json_parse_ns": .int(try Stopwatch.mean { _ = try JSON(parsing: bytes) }),
            "upload_request_ns": .int(
                try Stopwatch.mean {
                    _ = try UploadRequest(project: "p", body: body, registry: registry, maximumRows: 500)
                }),
            "bytes": .int(Int64(bytes.count)),
        ]
        print(result.text)
    }
}
