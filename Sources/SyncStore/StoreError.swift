import Foundation
import SyncProtocol

/// Why a database can't be used, and what an operator can do. Both are full sentences.
package struct StoreError: Error, CustomStringConvertible, Sendable {
    package let reason: String
    package let hint: String

    package init(_ reason: String, hint: String) {
        self.reason = reason
        self.hint = hint
    }

    package var description: String { "\(reason) \(hint)" }
}
