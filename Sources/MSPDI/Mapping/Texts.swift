import SyncProtocol

/// Cuts texts to what a field holds, and lists that.
struct Texts {
    let omissions: Omissions

    init(_ omissions: Omissions) { self.omissions = omissions }

    /// The text without U+0000 and at most `limit` characters (Unicode scalars, as the schema counts) long, and without
    /// white space where it was cut.
    func cut(_ text: String, to limit: Int, of kind: String, _ field: String) -> String {
        let text = text.utf8.contains(0) ? text.filter { $0 != "\0" } : text
        guard text.utf8.count > limit, text.unicodeScalars.count > limit else { return text }
        omissions.count("the \(field) of", kind, "cut to \(limit) characters")
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(limit))).trimmed
    }
}
