import Foundation
import SyncProtocol

/// A password in the form in which it is compared and hashed, whatever keyboard it was typed on: the profile
/// OpaqueString of RFC 8265, section 4.2.2. Every space of another kind becomes U+0020, then letters are composed
/// (Unicode's normal form C). Upper and lower case stay.
///
/// The profile also forbids control characters and what Unicode has not assigned. That is not done here: such passwords
/// exist, and what is assigned differs between versions of Unicode.
struct OpaqueString {
    let text: String

    init(_ typed: String) {
        var spaced = String.UnicodeScalarView()
        for scalar in typed.unicodeScalars {
            spaced.append(scalar.properties.generalCategory == .spaceSeparator ? " " : scalar)
        }
        text = String(spaced).precomposedStringWithCanonicalMapping
    }

    /// The prepared form first, then the others in which an earlier version may have hashed the same password: as it
    /// was typed, and with decomposed letters. One form for a password of ASCII characters.
    static func forms(of typed: String) -> [String] {
        let all = [OpaqueString(typed).text, typed, typed.decomposedStringWithCanonicalMapping]
        return all.enumerated().filter { position, form in
            !all[..<position].contains { ExactText($0) == ExactText(form) }
        }.map(\.element)
    }
}
