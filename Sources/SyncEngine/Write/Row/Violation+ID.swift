import SyncProtocol
import SyncSchema

extension Violation {
    /// Of a new row whose id is not valid.
    static var invalidID: Violation {
        Violation("id", .invalidID, "An id has 1 to 64 letters, digits, _ . or -, the first a letter or digit.")
    }

    /// What is wrong with a text that was cut within an emoji.
    static let half = "must not contain half a surrogate pair, such as \\ud83d"

    /// The id is taken, in a way that the caller may not know about.
    static var idUnavailable: Violation {
        Violation(nil, .idUnavailable, "This id can't be used. Create the row with another id.")
    }
}
