import SyncProtocol
import SyncSchema

extension Violation {
    /// Of a new row whose id is not valid.
    static var invalidID: Violation {
        Violation("id", .invalidID, "An id has 1 to 64 letters, digits, _ . or -, the first a letter or digit.")
    }
}
