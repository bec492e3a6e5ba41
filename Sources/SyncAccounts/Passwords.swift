import Foundation
import SyncProtocol

/// Hashes and checks passwords, in the form that `OpaqueString` gives them.
package struct Passwords: Sendable {
    /// Whether a stored hash is that of a password.
    enum Match {
        case wrong
        case exact
        /// Of the password as it was typed, before passwords were prepared.
        case olderForm
    }

    /// Longer passwords are refused, so nobody can use them to make work.
    static let maximumBytes = 1024
    private static let minimumBytes = 8
    private let cost: PasswordCost
    private let queue: HashingQueue
    private let decoy: ScryptHash

    package init(cost: PasswordCost = .standard, queue: HashingQueue = .shared) {
        self.cost = cost
        self.queue = queue
        decoy = ScryptHash(decoyOf: cost)
    }

    /// The text to store for a password. Throws `bad_format` for a password that breaks the rules, and `busy`.
    func hash(_ password: String) async throws -> String {
        try requireAcceptable(password)
        let prepared = OpaqueString(password).text
        let cost = cost
        return try await queue.run { try ScryptHash(of: prepared, cost: cost).text }
    }

    /// Throws `bad_format` for a password that breaks the rules.
    func requireAcceptable(_ password: String) throws {
        let prepared = OpaqueString(password).text
        guard (Passwords.minimumBytes...Passwords.maximumBytes).contains(prepared.utf8.count),
            !prepared.utf8.contains(0)
        else {
            throw Problem(
                .badFormat,
                "A password has \(Passwords.minimumBytes) to \(Passwords.maximumBytes) bytes and no NUL. "
                    + "Choose another one.")
        }
    }

    /// Whether the stored text is the hash of this password. False if there
    /// is no stored text, after the same work. Throws `busy`.
    func matches(_ password: String, _ stored: String?) async throws -> Bool {
        try await match(password, stored) != .wrong
    }

    /// How the stored text is the hash of this password. `wrong` if there is no stored text, after the same work, which
    /// depends on the typed password alone. Throws `busy`.
    func match(_ password: String, _ stored: String?) async throws -> Match {
        let forms = OpaqueString.forms(of: password).filter { $0.utf8.count <= Passwords.maximumBytes }
        guard let prepared = forms.first else { return .wrong }
        let hash = stored.flatMap(ScryptHash.init)
        let judge = hash ?? decoy
        let match = try await queue.run { try forms.first { try judge.matches($0) } }
        guard hash != nil, let match else { return .wrong }
        return ExactText(match) == ExactText(prepared) ? .exact : .olderForm
    }
}

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
