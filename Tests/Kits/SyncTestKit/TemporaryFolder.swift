package import Foundation

/// A folder that is removed when this object is released.
package final class TemporaryFolder: Sendable {
    package let url: URL

    /// Creates the folder in `parent`, or in the system's folder for temporary files.
    package init(in parent: URL = FileManager.default.temporaryDirectory) throws {
        url = parent.appending(path: "tidemark-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    /// The path of a file in the folder. Creates nothing.
    package func path(_ name: String) -> String { url.appending(path: name).path() }
}
