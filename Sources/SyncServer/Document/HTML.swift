/// A piece of HTML. A string literal is markup. All other text is
/// added with `init(text:)` or by interpolation, which escape it.
struct HTML: Sendable, ExpressibleByStringInterpolation {
    let source: String

    init(stringLiteral markup: String) { source = markup }

    init(stringInterpolation: Interpolation) { source = stringInterpolation.source }

    init(text: String) { source = HTML.escaped(text) }

    init(_ pieces: [HTML]) { source = pieces.map(\.source).joined() }

    /// Text in which the pieces between backticks become code.
    init(prose: String) {
        let pieces = prose.split(separator: "`", omittingEmptySubsequences: false).enumerated()
        self.init(pieces.map { $0.isMultiple(of: 2) ? HTML(text: String($1)) : "<code>\(String($1))</code>" })
    }

    /// A path, which may wrap after each slash.
    init(path: String) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map { HTML(text: String($0)).source }
        source = parts.joined(separator: "/<wbr>")
    }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var source = ""

        init(literalCapacity: Int, interpolationCount: Int) {}

        mutating func appendLiteral(_ markup: String) { source += markup }
        mutating func appendInterpolation(_ html: HTML) { source += html.source }
        mutating func appendInterpolation(_ pieces: [HTML]) { source += HTML(pieces).source }
        mutating func appendInterpolation(_ text: String) { source += HTML.escaped(text) }
    }

    /// Escapes text for element content and for attribute values in quotes.
    private static func escaped(_ text: String) -> String {
        var out = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            default: out.unicodeScalars.append(character)
            }
        }
        return out
    }
}

extension HTML {
    /// A table; empty if there are no rows.
    static func table(_ heads: [HTML], _ rows: [[HTML]]) -> HTML {
        guard !rows.isEmpty else { return "" }
        let head = HTML(heads.map { "<th>\($0)</th>" })
        let body = HTML(rows.map { cells in "<tr>\(cells.map { "<td>\($0)</td>" as HTML })</tr>" })
        return "<div class=\"wide\"><table><thead><tr>\(head)</tr></thead><tbody>\(body)</tbody></table></div>"
    }
}

extension HTML {
    static func + (left: HTML, right: HTML) -> HTML { HTML([left, right]) }
}
