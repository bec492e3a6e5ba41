package import SyncProtocol

/// A finished backup in the folder for backups.
package struct BackupFile: Sendable, Equatable {
    /// The file's name in the folder.
    package let name: String
    package let at: Instant
    package let bytes: Int64

    package init(name: String, at: Instant, bytes: Int64) { (self.name, self.at, self.bytes) = (name, at, bytes) }
}
