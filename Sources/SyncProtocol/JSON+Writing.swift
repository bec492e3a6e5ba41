extension JSON {
    /// The canonical text: members sorted by name (by Unicode scalars), no white space, numbers in their shortest form.
    /// Equal values give equal texts, so that a digest of it identifies the value.
    public var text: String {
        var out = ""
        write(to: &out)
        return out
    }

    /// Appends the canonical text.
    public func write(to out: inout String) {
        switch self {
        case .null: out += "null"
        case .bool(let value): out += value ? "true" : "false"
        case .int(let value): out += String(value)
        case .double(let value): out += value.isFinite ? value.description : "null"
        case .string(let value): JSON.write(value, to: &out)
        case .array(let elements): JSON.writeList(elements, brackets: ("[", "]"), to: &out) { $0.write(to: &$1) }
        case .object(let members):
            let sorted = members.sorted { $0.key.unicodeScalars.lexicographicallyPrecedes($1.key.unicodeScalars) }
            JSON.writeList(sorted, brackets: ("{", "}"), to: &out) { member, out in
                JSON.write(member.key, to: &out)
                out += ":"
                member.value.write(to: &out)
            }
        }
    }

    private static func writeList<Element>(
        _ elements: [Element], brackets: (String, String), to out: inout String,
        element: (Element, inout String) -> Void
    ) {
        out += brackets.0
        for (index, value) in elements.enumerated() {
            if index > 0 { out += "," }
            element(value, &out)
        }
        out += brackets.1
    }

    private static func write(_ string: String, to out: inout String) {
        out += "\""
        defer { out += "\"" }
        guard string.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
            return out += string
        }
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\n": out += "\\n"
            case "\r": out += "\\r"
            case "\t": out += "\\t"
            case "\u{0}"..<"\u{20}":
                let hex = String(scalar.value, radix: 16)
                out += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: out.unicodeScalars.append(scalar)
            }
        }
    }
}
