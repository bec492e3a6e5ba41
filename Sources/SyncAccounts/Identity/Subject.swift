/// The outside issuer's id of a user. OpenID Connect Core section 2 allows at most 255 characters.
enum Subject {
    static func isValid(_ text: String) -> Bool { (1...255).contains(text.utf8.count) && !text.utf8.contains(0) }
}
