/// Random expressions, and what they match by definition: the
/// places where a match that begins at a given place can end.
indirect enum Expression: Sendable {
    case letter(String, @Sendable (Unicode.Scalar) -> Bool)
    case assertion(String, @Sendable ([Unicode.Scalar], Int) -> Bool)
    case group(Expression, String)
    case sequence([Expression])
    case choice([Expression])
    case repeated(Expression, String, least: Int, most: Int?)

    /// The expression as text.
    var text: String {
        switch self {
        case .letter(let text, _), .assertion(let text, _): text
        case .group(let inner, let opening): opening + inner.text + ")"
        case .sequence(let parts): parts.map(\.text).joined()
        case .choice(let parts): parts.map(\.text).joined(separator: "|")
        case .repeated(let inner, let quantifier, _, _): inner.text + quantifier
        }
    }

    func matches(_ text: String) -> Bool {
        let letters = Array(text.unicodeScalars)
        return ends(in: letters, from: [0]).contains(letters.count)
    }

    private func ends(in letters: [Unicode.Scalar], from starts: Set<Int>) -> Set<Int> {
        switch self {
        case .letter(_, let takes): Set(starts.filter { $0 < letters.count && takes(letters[$0]) }.map { $0 + 1 })
        case .assertion(_, let holds): starts.filter { holds(letters, $0) }
        case .group(let inner, _): inner.ends(in: letters, from: starts)
        case .sequence(let parts): parts.reduce(starts) { $1.ends(in: letters, from: $0) }
        case .choice(let parts): parts.reduce(into: []) { $0.formUnion($1.ends(in: letters, from: starts)) }
        case .repeated(let inner, _, let least, let most): inner.ends(in: letters, from: starts, least, most)
        }
    }

    private func ends(in letters: [Unicode.Scalar], from starts: Set<Int>, _ least: Int, _ most: Int?) -> Set<Int> {
        var (reached, all) = (starts, Set<Int>())
        // More rounds than there are letters add nothing.
        for round in 0...(most ?? least + letters.count + 1) {
            if round >= least { all.formUnion(reached) }
            reached = ends(in: letters, from: reached)
        }
        return all
    }
}

/// Draws random expressions, and texts of the letters that they distinguish.
struct RandomExpressions {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func expression(depth: Int = 3) -> Expression {
        .choice((0...below(2)).map { _ in sequence(depth: depth) })
    }

    mutating func subject() -> String {
        (0..<below(8)).map { _ in pick(["a", "a", "b", "1", " ", "-", "\n", "é", "😀"]) }.joined()
    }

    private mutating func sequence(depth: Int) -> Expression {
        .sequence((0..<below(4)).map { _ in term(depth: depth) })
    }

    private mutating func term(depth: Int) -> Expression {
        if below(12) == 0 { return pick(Self.assertions) }
        let atom = atom(depth: depth)
        if below(2) == 0 { return atom }
        let (text, least, most) = pick(Self.quantifiers)
        return .repeated(atom, text, least: least, most: most)
    }

    private mutating func atom(depth: Int) -> Expression {
        if depth > 0, below(3) == 0 { return .group(expression(depth: depth - 1), pick(["(", "(?:", "(?<n>"])) }
        return pick(Self.letters)
    }

    private static let quantifiers: [(String, Int, Int?)] = [
        ("*", 0, nil), ("+", 1, nil), ("?", 0, 1), ("*?", 0, nil), ("+?", 1, nil), ("??", 0, 1), ("{2}", 2, 2),
        ("{0,2}", 0, 2), ("{1,}", 1, nil), ("{1,3}?", 1, 3), ("{0}", 0, 0),
    ]

    private static let letters: [Expression] = [
        .letter("a") { $0 == "a" }, .letter("b") { $0 == "b" }, .letter("-") { $0 == "-" },
        .letter("😀") { $0 == "😀" },
        .letter(".") { $0 != "\n" }, .letter("\\d") { $0 == "1" }, .letter("\\D") { $0 != "1" },
        .letter("\\w", isWord), .letter("\\W") { !isWord($0) }, .letter("\\s") { $0 == " " || $0 == "\n" },
        .letter("[ab]") { $0 == "a" || $0 == "b" }, .letter("[^a]") { $0 != "a" },
        .letter("[a-z1]") { "ab1".unicodeScalars.contains($0) },
        .letter("[^\\s\\d]") { !" \n1".unicodeScalars.contains($0) },
        .letter("\\p{L}") { "abé".unicodeScalars.contains($0) },
        .letter("[\\u0061-\\u{e9}]") { $0 == "é" || $0 == "a" || $0 == "b" },
    ]

    private static let assertions: [Expression] = [
        .assertion("^") { $1 == 0 }, .assertion("$") { $1 == $0.count },
        .assertion("\\b") { isBoundary($0, $1) }, .assertion("\\B") { !isBoundary($0, $1) },
    ]

    @Sendable private static func isWord(_ letter: Unicode.Scalar) -> Bool { "ab1".unicodeScalars.contains(letter) }

    private static func isBoundary(_ letters: [Unicode.Scalar], _ place: Int) -> Bool {
        let before = place > 0 && isWord(letters[place - 1])
        return before != (place < letters.count && isWord(letters[place]))
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    private mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % bound
    }
}
