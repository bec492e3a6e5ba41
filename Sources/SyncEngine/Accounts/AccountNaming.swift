import SyncProtocol

/// The rules for names.
enum AccountNaming {
    static func isValid(_ name: String) -> Bool {
        (1...150).contains(name.unicodeScalars.count)
            && name.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType != nil || "@.+-_".unicodeScalars.contains($0)
            }
    }

    /// The name itself. Throws `bad_format`.
    static func displayName(_ name: String) throws -> String {
        guard (1...255).contains(name.unicodeScalars.count), !name.unicodeScalars.contains("\0"),
            !name.allSatisfy(\.isWhitespace)
        else {
            throw Problem(.badFormat, "A display name has 1 to 255 characters, not only spaces, and no NUL.")
        }
        return name
    }
}
