/// Writes one XML document, with one element per line.
///
/// A class, because all writers of one document add to the same text.
final class XMLWriter {
    private(set) var text = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
    private var depth = 0

    /// Adds an element with a text. Does nothing for nil.
    func add(_ name: String, _ value: String?) {
        guard let value else { return }
        indent()
        text += "<\(name)>"
        for scalar in value.unicodeScalars { text.unicodeScalars.append(contentsOf: XMLWriter.escaped(scalar)) }
        text += "</\(name)>\n"
    }

    func add(_ name: String, _ value: Int?) { add(name, value.map(String.init)) }

    func add(_ name: String, _ value: Bool?) { add(name, value.map { $0 ? "1" : "0" }) }

    /// Adds an element that contains what `content` adds.
    func add(_ name: String, attributes: String = "", _ content: () throws -> Void) rethrows {
        indent()
        text += "<\(name)\(attributes)>\n"
        depth += 1
        try content()
        depth -= 1
        indent()
        text += "</\(name)>\n"
    }

    private func indent() { text += String(repeating: "  ", count: depth) }

    /// Escapes a character. A plain carriage return would be read as a line feed:
    /// https://www.w3.org/TR/xml/#sec-line-ends
    private static func escaped(_ scalar: Unicode.Scalar) -> String.UnicodeScalarView {
        switch scalar {
        case "&": "&amp;".unicodeScalars
        case "<": "&lt;".unicodeScalars
        case ">": "&gt;".unicodeScalars
        case "\r": "&#13;".unicodeScalars
        default: String.UnicodeScalarView([scalar])
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
