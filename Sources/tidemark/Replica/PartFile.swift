import Foundation
import SyncClientCore

/// A file with a filter, for `--filter`.
struct PartFile {
    let path: String

    /// Throws `CommandError`.
    func read() throws -> PartFilter {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandError("\(path) can't be read. Name a file with a filter, such as {\"tasks\": [{\"assignee\": \"@me\"}]}.")
        }
        do {
            return try PartFilter(text: String(decoding: bytes, as: UTF8.self))
        } catch {
            throw CommandError("\(path): \(error)")
        }
    }
}

extension Replica {
    /// The name of the part that the command line gives.
    private static let part = "tidemark"

    /// Holds the filter's part from the next sync on, beside parts that an app has added.
    func hold(_ filter: PartFilter) throws {
        if filter.isEverything { try parts.remove(Self.part) } else { try parts.add(Self.part, filter) }
    }
}
