import Foundation
import SyncProtocol

/// An upload that may break off and go on, as a client knows it.
struct TestUpload {
    let file: TestFile
    let path: String

    /// `PATCH` with the bytes from one place to another, up to a raw connection's choice of how many are sent.
    func head(_ range: Range<Int>, to client: Client) -> String {
        """
        PATCH \(path) HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer \(client.token ?? "")\r\n\
        Content-Type: application/partial-upload\r\nUpload-Offset: \(range.lowerBound)\r\n\
        Upload-Complete: \(range.upperBound == file.bytes.count ? "?1" : "?0")\r\n\
        Content-Length: \(range.count)\r\n\r\n
        """
    }
}

extension Client {
    /// Asks for an upload of the file, and sends no bytes.
    func begin(_ file: TestFile, headers: [String: String] = [:]) async throws -> (upload: TestUpload?, answer: Answer)
    {
        let fields = ["Upload-Complete": "?0", "Upload-Length": String(file.bytes.count)]
        let answer = try await send(
            "PUT", filePath(file.digest), Data(), headers: fields.merging(headers) { $1 }.filter { !$0.value.isEmpty })
        return (answer.header("Location").map { TestUpload(file: file, path: $0) }, answer)
    }

    /// Sends the bytes from one place to another.
    @discardableResult
    func append(
        _ range: Range<Int>, to upload: TestUpload, headers: [String: String] = [:]
    ) async throws -> Answer {
        let fields = [
            "Content-Type": "application/partial-upload", "Upload-Offset": String(range.lowerBound),
            "Upload-Complete": range.upperBound == upload.file.bytes.count ? "?1" : "?0",
        ]
        return try await send(
            "PATCH", upload.path, upload.file.bytes[range], headers: fields.merging(headers) { $1 })
    }

    func state(of upload: TestUpload) async throws -> Answer { try await send("HEAD", upload.path) }

    /// How many bytes are safe.
    func offset(of upload: TestUpload) async throws -> Int? {
        try await state(of: upload).header("Upload-Offset").flatMap { Int($0) }
    }
}
