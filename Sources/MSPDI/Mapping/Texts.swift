import SyncProtocol

/// Truncates texts to the length of a field, and lists each case.
struct Texts {
    let omissions: Omissions

    init(_ omissions: Omissions) { self.omissions = omissions }

    /// The text without U+0000 and with at most `limit` characters (Unicode scalars, as the schema counts them).
    /// White space at the cut is removed.
    func cut(_ text: String, to limit: Int, of kind: String, _ field: String) -> String {
        let text = text.utf8.contains(0) ? text.filter { $0 != "\0" } : text
        guard text.utf8.count > limit, text.unicodeScalars.count > limit else { return text }
        omissions.count("the \(field) of", kind, "cut to \(limit) characters")
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))).trimmed
    }
}
