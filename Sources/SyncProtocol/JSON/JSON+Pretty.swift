extension JSON {
    /// The canonical text on several lines, for files that people read and compare: members sorted by name, two spaces
    /// per level, a line break at the end.
    public var prettyText: String {
        var out = ""
        writePretty(to: &out, indent: "\n")
        return out + "\n"
    }

    private func writePretty(to out: inout String, indent: String) {
        switch self {
        case .array(let elements) where !elements.isEmpty:
            JSON.writeLines(elements.map { ("", $0) }, brackets: ("[", "]"), to: &out, indent: indent)
        case .object(let members) where !members.isEmpty:
            let sorted = members.sorted { JSON.precedes($0.key, $1.key) }
            let named = sorted.map { (JSON.string($0.key).text + ": ", $0.value) }
            JSON.writeLines(named, brackets: ("{", "}"), to: &out, indent: indent)
        default: out += text
        }
    }

    private static func writeLines(
        _ lines: [(prefix: String, value: JSON)], brackets: (String, String), to out: inout String, indent: String
    ) {
        out += brackets.0
        for (index, line) in lines.enumerated() {
            out += (index > 0 ? "," : "") + indent + "  " + line.prefix
            line.value.writePretty(to: &out, indent: indent + "  ")
        }
        out += indent + brackets.1
    }
}
