extension Sequence<UInt8> {
    /// Two lower-case hex digits a byte.
    package var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        let text = reduce(into: [UInt8]()) { text, byte in
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
