import Foundation
import SyncProtocol

/// A backup that was made.
package struct BackupResult: Sendable {
    package let file: String
    package let bytes: Int
    /// Older ones that were removed for it.
    package let removed: [String]

    package init(file: String, bytes: Int, removed: [String] = []) {
        self.file = file
        self.bytes = bytes
        self.removed = removed
    }
}
