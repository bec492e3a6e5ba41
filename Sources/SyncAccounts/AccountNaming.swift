package import SyncProtocol
package import SyncStore

/// The rules for user names and display names.
package enum AccountNaming {
    /// A new user's name, in Unicode's normal form C. Throws `bad_format`, and `not_unique` if another user has this
    /// name, or one that differs only in upper and lower case or in how its letters are composed.
    static func newName(_ text: String, in transaction: any ReadTransaction) throws -> ExactText {
        let name = Username.normal(text)
        guard isValid(name.rawValue) else {
            throw Problem(.badFormat, "A user name has 1 to 150 characters. Letters, digits and @.+-_ are allowed.")
        }
        if let other = try transaction.user(folded: Username.folded(name.rawValue)) { throw taken(name, by: other) }
        return name
    }

    private static func taken(_ name: ExactText, by other: User) -> Problem {
        guard other.username == name else {
            return Problem(
                .notUnique, "The name \(name) is too similar to that of the user \(other.username). Choose another.")
        }
        let remedy = " The account is disabled; to take it back: tidemark user enable \(name)"
        return Problem(.notUnique, "There is already a user \(name)." + (other.isDisabled ? remedy : ""))
    }

    /// Whether a user name follows the rule: 1 to 150 characters, which are letters, digits or one of `@.+-_`.
    package static func isValid(_ name: String) -> Bool {
        (1...150).contains(name.unicodeScalars.count)
            && name.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil || "@.+-_".unicodeScalars.contains($0)
            }
    }

    /// Returns the name unchanged. Throws `bad_format`.
    package static func displayName(_ name: String) throws -> String {
        guard (1...255).contains(name.unicodeScalars.count), !name.unicodeScalars.contains("\0"),
            !name.allSatisfy(\.isWhitespace)
        else {
            throw Problem(.badFormat, "A display name has 1 to 255 characters, not only spaces, and no NUL.")
        }
        return name
    }
}

extension ReadTransaction {
    /// The user that a typed name means: the one with exactly this name, or else with its normal form.
    package func user(typed name: String) throws -> User? {
        try user(named: ExactText(name)) ?? user(named: Username.normal(name))
    }

    /// The user who logs in by this name: the one that it means when typed, or else the only one whose name differs
    /// from it in upper and lower case alone. Phones begin with a capital.
    func user(loggingInAs name: String) throws -> User? {
        if let user = try user(typed: name) { return user }
        let similar = try users(folded: Username.folded(name))
        return similar.count == 1 ? similar.first : nil
    }

    /// The names of the users with these ids, each read once.
    package func usernames(of ids: [Int64]) throws -> [Int64: JSON] {
        var names: [Int64: JSON] = [:]
        for id in Set(ids) { names[id] = try user(id: id).map { .string($0.username.rawValue) } }
        return names
    }

    /// The user that a typed name means. Throws `not_found`.
    package func requireUser(named username: String) throws -> User {
        guard let user = try user(typed: username) else {
            throw Problem(.notFound, "There is no user \(username). Add one with: tidemark user add \(username)")
        }
        return user
    }
}
