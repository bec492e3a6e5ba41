extension JSON {
    /// The canonical text: members sorted by name (by Unicode scalars), no white space, numbers in their shortest form.
    /// Equal values have equal texts, so a digest of the text identifies the value.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The canonical text in UTF-8.
    public var bytes: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(512)
        write(to: &out)
        return out
    }

    private func write(to out: inout [UInt8]) {
        switch self {
        case .null: out += "null".utf8
        case .bool(let value): out += value ? "true".utf8 : "false".utf8
        case .int(let value): out += String(value).utf8
        case .double(let value): out += value.isFinite ? value.description.utf8 : "null".utf8
        case .string(let value): JSON.write(value, to: &out)
        case .array(let elements): JSON.writeList(elements, brackets: ("[", "]"), to: &out) { $0.write(to: &$1) }
        case .object(let members):
            let sorted = members.sorted { JSON.precedes($0.key, $1.key) }
            JSON.writeList(sorted, brackets: ("{", "}"), to: &out) { member, out in
                JSON.write(member.key, to: &out)
                out.append(UInt8(ascii: ":"))
                member.value.write(to: &out)
            }
        }
    }

    private static func writeList<Element>(
        _ elements: [Element], brackets: (Unicode.Scalar, Unicode.Scalar), to out: inout [UInt8],
        element: (Element, inout [UInt8]) -> Void
    ) {
        out.append(UInt8(ascii: brackets.0))
        for (index, value) in elements.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            element(value, &out)
        }
        out.append(UInt8(ascii: brackets.1))
    }

    private static func write(_ string: String, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        var string = string
        string.withUTF8 { bytes in
            if bytes.contains(where: isEscaped) {
                for byte in bytes { writeEscaped(byte, to: &out) }
            } else {
                out.append(contentsOf: bytes)
            }
        }
        out.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func writeEscaped(_ byte: UInt8, to out: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): out += "\\\"".utf8
        case UInt8(ascii: "\\"): out += "\\\\".utf8
        case UInt8(ascii: "\n"): out += "\\n".utf8
        case UInt8(ascii: "\r"): out += "\\r".utf8
        case UInt8(ascii: "\t"): out += "\\t".utf8
        case 0..<0x20: out += "\\u00\([byte].hex)".utf8
        default: out.append(byte)
        }
    }

    /// Compares by Unicode scalars, which is the order of the bytes in UTF-8.
    static func precedes(_ one: String, _ other: String) -> Bool {
        var (one, other) = (one, other)
        return one.withUTF8 { one in other.withUTF8 { other in one.lexicographicallyPrecedes(other) } }
    }
}
