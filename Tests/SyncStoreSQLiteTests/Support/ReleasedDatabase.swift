import CZlib
import Foundation
import SyncProtocol

/// A database that a released version made, and what its server answered:
/// `Fixtures/<name>.db.gz` and `Fixtures/<name>.json`. They are never made
/// again, because they show that databases of that version can still be opened.
struct ReleasedDatabase {
    private static let folder = URL(filePath: #filePath).appending(path: "../../Fixtures").standardizedFileURL

    /// What the server answered: `made`, `watermark`, `all`, `since`, `tokens`.
    let facts: JSON

    /// Unpacks the database to `path`.
    init(_ name: String, to path: String) throws {
        facts = try JSON(parsing: Data(contentsOf: Self.folder.appending(path: name + ".json")))
        try Self.unpack(Self.folder.appending(path: name + ".db.gz").path()).write(to: URL(filePath: path))
    }

    private static func unpack(_ file: String) throws -> Data {
        guard let source = gzopen(file, "rb") else { throw CocoaError(.fileNoSuchFile) }
        defer { gzclose(source) }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = gzread(source, &buffer, UInt32(buffer.count)), count > 0 {
            data += buffer.prefix(Int(count))
        }
        return data
    }
}
