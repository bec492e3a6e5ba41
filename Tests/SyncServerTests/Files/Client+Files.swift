import Crypto
import Foundation
import SyncProtocol
import SyncSchema
import SyncTestKit

/// A file that a test sends.
struct TestFile: Hashable {
    let bytes: Data

    init(_ text: String) { bytes = Data(text.utf8) }

    /// So many bytes, which differ by `seed`.
    init(bytes count: Int, seed: UInt8 = 1) {
        bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ Int(seed)) })
    }

    init(start: [UInt8]) { bytes = Data(start) + Data("and more".utf8) }

    var digest: String { SHA256.hex(of: Array(bytes)) }
    var json: JSON { .string(digest) }
}

extension Client {
    func filePath(_ digest: String) -> String { "/api/v1/projects/\(project)/files/\(digest)/" }

    @discardableResult
    func send(_ file: TestFile, as digest: String? = nil, headers: [String: String] = [:]) async throws -> Answer {
        try await send("PUT", filePath(digest ?? file.digest), file.bytes, headers: headers)
    }

    func get(_ file: TestFile, headers: [String: String] = [:]) async throws -> Answer {
        try await send("GET", filePath(file.digest), headers: headers)
    }

    /// Makes an attachment that names the file.
    @discardableResult
    func attach(_ file: TestFile, _ id: String, _ fields: [String: JSON] = [:]) async throws -> Answer {
        try await create(
            "attachments", .object(["id": .string(id), "name": "f", "file": file.json].merging(fields) { $1 }))
    }

    /// What the row says of its file.
    func state(_ id: String) async throws -> JSON? { try await read("attachments", id).at("/state") }
}

extension Scene {
    /// The files that are kept, by name, and what is being received.
    func filesOnDisk() throws -> [String] {
        let root = folder.path("files")
        let names = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return names.filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: root + "/" + name, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }
}
