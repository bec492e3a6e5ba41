extension UInt8 {
    /// Whether the byte is one of the ASCII digits `0` to `9`.
    package var isASCIIDigit: Bool { (0x30...0x39).contains(self) }

    /// Whether the byte is an ASCII hex digit, in either case.
    package var isASCIIHexDigit: Bool { isASCIIDigit || (0x41...0x46).contains(self) || (0x61...0x66).contains(self) }

    /// Whether the byte is an ASCII letter or digit.
    package var isASCIIAlphanumeric: Bool {
        isASCIIDigit || (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self)
    }
}
