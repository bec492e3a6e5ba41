/// What rows name files by: the SHA-256 of the bytes.
package enum FileDigest {
    /// Whether the text is 64 hex digits, with lower-case letters.
    package static func isValid(_ text: some StringProtocol) -> Bool {
        text.utf8.count == 64 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
