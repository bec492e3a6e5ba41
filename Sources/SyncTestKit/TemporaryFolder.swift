package import Foundation

/// A folder that goes when the value does.
package final class TemporaryFolder: Sendable {
    package let url: URL

    /// In `parent`, or where the system has its temporary files.
    package init(in parent: URL = FileManager.default.temporaryDirectory) throws {
        url = parent.appending(path: "tidemark-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    package func path(_ name: String) -> String { url.appending(path: name).path() }
}
