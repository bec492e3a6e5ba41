import Foundation
package import SyncProtocol

/// The forms in which user names are compared.
package enum Username {
    /// The name in normal form C (Unicode Standard Annex 15).
    package static func normal(_ text: String) -> ExactText { ExactText(text.precomposedStringWithCanonicalMapping) }

    /// Returns the same text for names that differ only in upper and lower case, or in how their letters are composed.
    package static func folded(_ name: String) -> ExactText {
        normal(normal(name).rawValue.uppercased().lowercased())
    }
}
