/// The rule for row ids: 1 to 64 of `A-Z a-z 0-9 _ . -`, beginning with a letter or digit. Ids are compared, stored
/// and returned byte for byte.
public enum RowID {
    /// Whether `text` may be an id.
    public static func isValid(_ text: String) -> Bool {
        var utf8 = text.utf8.makeIterator()
        guard let first = utf8.next(), isAlphanumeric(first), text.utf8.count <= 64 else { return false }
        while let byte = utf8.next() {
            guard isAlphanumeric(byte) || byte == 0x5F || byte == 0x2E || byte == 0x2D else { return false }
        }
        return true
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
