package import SyncProtocol

/// A file that the server has for a project. The bytes are in the file store, under `place`.
package struct StoredFile: Sendable, Equatable {
    package let project: String
    /// The SHA-256 of the bytes, in 64 lower-case hex digits.
    package let digest: String
    /// In bytes.
    package let size: Int64
    /// The name in the file store. A name is never used twice.
    package let place: String
    /// Since when no live row of the project names it; nil while one does.
    package let unnamedSince: Instant?

    package init(project: String, digest: String, size: Int64, place: String, unnamedSince: Instant?) {
        self.project = project
        self.digest = digest
        self.size = size
        self.place = place
        self.unnamedSince = unnamedSince
    }
}
