/// The rule for row ids: 1 to 64 of the characters `A-Z a-z 0-9 _ . -`, beginning with a letter or digit. Ids are
/// compared, stored and returned byte for byte.
public enum RowID {
    /// Whether `text` may be an id.
    public static func isValid(_ text: String) -> Bool {
        var utf8 = text.utf8.makeIterator()
        guard let first = utf8.next(), first.isASCIIAlphanumeric, text.utf8.count <= 64 else { return false }
        while let byte = utf8.next() {
            guard byte.isASCIIAlphanumeric || byte == 0x5F || byte == 0x2E || byte == 0x2D else { return false }
        }
        return true
    }
}
