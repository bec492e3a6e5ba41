extension Sequence<UInt8> {
    /// Two lower-case hex digits a byte.
    package var hex: String {
        reduce(into: "") { text, byte in
            text += String(byte >> 4, radix: 16)
            text += String(byte & 15, radix: 16)
        }
    }
}
