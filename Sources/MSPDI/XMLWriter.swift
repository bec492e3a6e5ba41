/// Writes one XML document, with one element per line.
///
/// A class, because all writers of one document add to the same text. The text is kept as bytes, to which a character
/// can be added in place: a `String` is copied as a whole by each change through one of its views.
final class XMLWriter {
    private var bytes = Array("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n".utf8)
    private var depth = 0

    /// The document so far.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Adds an element with a text. Does nothing for nil.
    func add(_ name: String, _ value: String?) {
        guard let value else { return }
        indent()
        append("<\(name)>")
        for byte in value.utf8 { appendEscaped(byte) }
        append("</\(name)>\n")
    }

    func add(_ name: String, _ value: Int?) { add(name, value.map(String.init)) }

    func add(_ name: String, _ value: Bool?) { add(name, value.map { $0 ? "1" : "0" }) }

    /// Adds an element that contains what `content` adds.
    func add(_ name: String, attributes: String = "", _ content: () throws -> Void) rethrows {
        indent()
        append("<\(name)\(attributes)>\n")
        depth += 1
        try content()
        depth -= 1
        indent()
        append("</\(name)>\n")
    }

    private func indent() { bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth)) }

    private func append(_ markup: String) { bytes.append(contentsOf: markup.utf8) }

    /// Adds a byte of a text. All characters that need an escape are one byte. A plain carriage return would be read as
    /// a line feed: https://www.w3.org/TR/xml/#sec-line-ends
    private func appendEscaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "&"): append("&amp;")
        case UInt8(ascii: "<"): append("&lt;")
        case UInt8(ascii: ">"): append("&gt;")
        case UInt8(ascii: "\r"): append("&#13;")
        default: bytes.append(byte)
        }
    }
}

extension Unicode.Scalar {
    /// Whether XML 1.0 can hold the character at all: https://www.w3.org/TR/xml/#charsets
    var isXML: Bool {
        switch value {
        case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
        default: false
        }
    }
}
