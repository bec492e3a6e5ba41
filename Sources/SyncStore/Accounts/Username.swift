import Foundation
package import SyncProtocol

/// The forms of a user's name that stores and accounts compare.
package enum Username {
    /// The name in normal form C (Unicode Standard Annex 15).
    package static func normal(_ text: String) -> ExactText { ExactText(text.precomposedStringWithCanonicalMapping) }

    /// The same text for names that differ only in upper and lower case, or in how their letters are composed.
    package static func folded(_ name: String) -> ExactText {
        normal(normal(name).rawValue.uppercased().lowercased())
    }
}
