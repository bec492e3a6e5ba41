import Foundation
import SyncProtocol

/// The result of a backup.
package struct BackupResult: Sendable {
    package let file: String
    /// The size of the backup.
    package let bytes: Int
    /// The older backups that were removed after it was made.
    package let removed: [String]

    package init(file: String, bytes: Int, removed: [String] = []) {
        self.file = file
        self.bytes = bytes
        self.removed = removed
    }
}
