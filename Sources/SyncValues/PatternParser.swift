import SyncProtocol

/// Reads an expression by the grammar in https://tc39.es/ecma262/#sec-patterns, with the flag `u`.
struct PatternParser {
    private let letters: [Unicode.Scalar]
    private var position = 0
    private var depth = 0
    /// The most levels of groups in groups.
    private static let mostDepth = 32

    init(_ text: String) { letters = Array(text.unicodeScalars) }

    mutating func whole() throws(PatternError) -> PatternNode {
        let node = try choice()
        guard next == nil else { throw PatternError("has a ) without its (; write \\) for the character") }
        return node
    }

    private mutating func choice() throws(PatternError) -> PatternNode {
        var branches = [try sequence()]
        while take("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(PatternError) -> PatternNode {
        var nodes: [PatternNode] = []
        while let letter = next, letter != "|", letter != ")" { nodes.append(try term()) }
        return .sequence(nodes)
    }

    private mutating func term() throws(PatternError) -> PatternNode {
        if let assertion = assertion() {
            if let next, "*+?{".unicodeScalars.contains(next) {
                throw PatternError("repeats an assertion; remove the \(next)")
            }
            return .assertion(assertion)
        }
        let node = try atom()
        guard let (least, most) = try quantifier() else { return node }
        // Lazy or not makes no difference: the same whole texts match.
        _ = take("?")
        if let next, "*+?{".unicodeScalars.contains(next) {
            throw PatternError("repeats a repetition at \(next); put the inner one into (?: )")
        }
        return .repeated(node, least: least, most: most)
    }

    private mutating func assertion() -> PatternNode.Assertion? {
        if take("^") { return .start }
        if take("$") { return .end }
        if take("\\b") { return .boundary }
        return take("\\B") ? .noBoundary : nil
    }

    private mutating func atom() throws(PatternError) -> PatternNode {
        let letter = try one()
        switch letter {
        case ".": return .letter(ScalarSet([.not(ScalarSet.Item.lineEnds)]))
        case "(": return try group()
        case "[": return .letter(try set())
        case "\\": return .letter(ScalarSet([try escape(inSet: false).item]))
        case "*", "+", "?":
            throw PatternError("has a \(letter) with nothing before it; write \\\(letter) for the character")
        case "{", "}", "]": throw PatternError("has a \(letter) on its own; write \\\(letter) for the character")
        default: return .letter(ScalarSet([.single(letter.value)]))
        }
    }

    private mutating func group() throws(PatternError) -> PatternNode {
        try openGroup()
        guard depth < PatternParser.mostDepth else {
            throw PatternError("has groups nested deeper than \(PatternParser.mostDepth); remove some")
        }
        depth += 1
        defer { depth -= 1 }
        let node = try choice()
        guard take(")") else { throw PatternError("has a ( without its ); write \\( for the character") }
        return node
    }

    /// Reads the start of a group, after its `(`. Groups are not captured, so all kinds mean the same.
    private mutating func openGroup() throws(PatternError) {
        guard take("?") else { return }
        if take(":") { return }
        for look in ["=", "!", "<=", "<!"] where take(look) {
            throw PatternError(
                "looks ahead or behind with (?\(look), which can't be matched in bounded time; write it without")
        }
        guard take("<") else { throw PatternError("has a group (? of a kind that is not known here; write (?: or (") }
        var name = ""
        while let letter = next, letter != ">" {
            name.unicodeScalars.append(letter)
            position += 1
        }
        guard take(">"), !name.isEmpty, name.utf8.allSatisfy({ $0.isASCIIAlphanumeric || $0 == 0x5F }) else {
            throw PatternError("has a group whose name is not made of letters and digits; write (?: or (")
        }
    }

    // MARK: Repetitions

    private mutating func quantifier() throws(PatternError) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        guard take("{") else { return nil }
        guard let least = number() else { throw badBraces }
        let most = take(",") ? number() : least
        guard take("}") else { throw badBraces }
        if let most, most < least { throw PatternError("has numbers in braces that fall; write the lower one first") }
        return (least, most)
    }

    private var badBraces: PatternError {
        PatternError("has a { that is not followed by a number and }; write {2}, {2,} or {2,5}, or \\{")
    }

    /// Reads a number. All numbers that are too high become one that is just above the limit.
    private mutating func number() -> Int? {
        var value: Int?
        while let letter = next, ("0"..."9").contains(letter) {
            value = min((value ?? 0) * 10 + Int(letter.value - 0x30), Pattern.mostInstructions + 1)
            position += 1
        }
        return value
    }
}

// MARK: Characters

extension PatternParser {
    var next: Unicode.Scalar? { position < letters.count ? letters[position] : nil }

    /// Takes the next character. Throws at the end of the text.
    mutating func one() throws(PatternError) -> Unicode.Scalar {
        guard let next else { throw PatternError("ends too early; a [ or \\ is not closed") }
        position += 1
        return next
    }

    /// Whether the text comes next. If so, takes it.
    mutating func take(_ text: String) -> Bool {
        let wanted = text.unicodeScalars
        guard letters[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }
}

extension PatternParser {
    /// A single character, or a set of characters.
    enum Member {
        case letter(UInt32)
        case set(ScalarSet.Item)

        var item: ScalarSet.Item {
            switch self {
            case .letter(let value): .single(value)
            case .set(let item): item
            }
        }
    }

    /// Reads a set, after its `[`.
    mutating func set() throws(PatternError) -> ScalarSet {
        let isNegated = take("^")
        var items: [ScalarSet.Item] = []
        while !take("]") { items.append(try range()) }
        return ScalarSet(isNegated ? [.not(items)] : items)
    }

    private mutating func range() throws(PatternError) -> ScalarSet.Item {
        let first = try member()
        guard next == "-", !isLastDash else { return first.item }
        _ = take("-")
        guard case .letter(let low) = first, case .letter(let high) = try member() else {
            throw PatternError("has a range in [ ] from or to a set of characters; write \\- for the character")
        }
        guard low <= high else { throw PatternError("has a range in [ ] that falls; write the lower one first") }
        return .range(low...high)
    }

    private var isLastDash: Bool {
        var look = self
        return look.take("-]")
    }

    private mutating func member() throws(PatternError) -> Member {
        let letter = try one()
        return letter == "\\" ? try escape(inSet: true) : .letter(letter.value)
    }

    /// Reads an escape, after its `\`.
    mutating func escape(inSet: Bool) throws(PatternError) -> Member {
        let letter = try one()
        if let set = try namedSet(letter) { return .set(set) }
        if let control = PatternParser.controls[letter] { return .letter(control) }
        switch letter {
        case "b" where inSet: return .letter(0x08)
        case "-" where inSet: return .letter(letter.value)
        case "0" where next.map { !("0"..."9").contains($0) } ?? true: return .letter(0)
        case "c": return .letter(try controlLetter())
        case "x": return .letter(try hex(digits: 2))
        case "u": return .letter(try scalar())
        case "1"..."9", "k":
            throw PatternError(
                "refers to a group with \\\(letter), which can't be matched in bounded time; write it out")
        case _ where "^$\\.*+?()[]{}|/".unicodeScalars.contains(letter): return .letter(letter.value)
        default:
            throw PatternError("has \\\(letter), which means nothing; remove the \\, or write \\\\ for the character")
        }
    }

    private static let controls: [Unicode.Scalar: UInt32] = ["t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D]

    private mutating func namedSet(_ letter: Unicode.Scalar) throws(PatternError) -> ScalarSet.Item? {
        switch letter {
        case "d": .any(ScalarSet.Item.digits)
        case "D": .not(ScalarSet.Item.digits)
        case "w": .any(ScalarSet.Item.word)
        case "W": .not(ScalarSet.Item.word)
        case "s": .any(ScalarSet.Item.space)
        case "S": .not(ScalarSet.Item.space)
        case "p": try property()
        case "P": .not([try property()])
        default: nil
        }
    }

    private mutating func property() throws(PatternError) -> ScalarSet.Item {
        var name = ""
        if take("{") {
            while let letter = next, letter != "}" {
                name.unicodeScalars.append(letter)
                _ = try one()
            }
        }
        guard take("}"), let categories = Unicode.GeneralCategory.named(name) else {
            throw PatternError("has \\p of a property that is not known here; use a general category, such as \\p{Lu}")
        }
        return .categories(categories)
    }

    private mutating func controlLetter() throws(PatternError) -> UInt32 {
        let letter = try one()
        guard letter.isASCII, letter.properties.isAlphabetic else {
            throw PatternError("has a \\c that is not followed by a letter from A to Z")
        }
        return letter.value % 32
    }

    private mutating func hex(digits: Int) throws(PatternError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<digits {
            guard let letter = next, letter.isASCII, let digit = Character(letter).hexDigitValue else {
                throw PatternError("has an escape without its \(digits) hexadecimal digits")
            }
            _ = try one()
            value = value * 16 + UInt32(digit)
        }
        return value
    }

    /// `\u{1F600}`, `\u00E9`, or the two halves of a surrogate pair.
    private mutating func scalar() throws(PatternError) -> UInt32 {
        let value = take("{") ? try bracedScalar() : try pairOrUnit()
        guard Unicode.Scalar(value) != nil else { throw PatternError("has a \\u with no Unicode code point") }
        return value
    }

    private mutating func bracedScalar() throws(PatternError) -> UInt32 {
        var value: UInt32 = 0
        repeat { value = min(value * 16 + (try hex(digits: 1)), 0x11_0000) } while !take("}")
        return value
    }

    private mutating func pairOrUnit() throws(PatternError) -> UInt32 {
        let first = try hex(digits: 4)
        guard (0xD800..<0xDC00).contains(first), take("\\u") else { return first }
        let second = try hex(digits: 4)
        guard (0xDC00..<0xE000).contains(second) else { return first }
        return 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
    }
}

/// A part of an expression.
indirect enum PatternNode {
    /// One character.
    case letter(ScalarSet)
    case assertion(Assertion)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// There is no upper bound if `most` is nil.
    case repeated(PatternNode, least: Int, most: Int?)

    /// A condition that takes no character.
    enum Assertion: Sendable {
        case start, end, boundary, noBoundary
    }

    /// Whether it compiles to nothing at all.
    var isEmpty: Bool {
        switch self {
        case .sequence(let nodes): nodes.allSatisfy(\.isEmpty)
        case .repeated(let node, _, let most): most == 0 || node.isEmpty
        case .letter, .assertion, .choice: false
        }
    }

    /// Whether it matches without a character, wherever that is.
    var takesNothing: Bool {
        switch self {
        case .letter, .assertion: false
        case .sequence(let nodes): nodes.allSatisfy(\.takesNothing)
        case .choice(let nodes): nodes.contains(where: \.takesNothing)
        case .repeated(let node, let least, _): least == 0 || node.takesNothing
        }
    }

    /// What means the same within a repetition without an upper bound: `(x{0,9}|y)*` matches what `(x|y)*` does.
    var withoutCounts: PatternNode {
        switch self {
        case .repeated(let node, let least, let most) where least <= 1 && most != 0: node.withoutCounts
        case .choice(let nodes): .choice(nodes.map(\.withoutCounts))
        case .sequence(let nodes) where nodes.count == 1: nodes[0].withoutCounts
        case .letter, .assertion, .sequence, .repeated: self
        }
    }
}

/// Why an expression is refused, and what to do.
package struct PatternError: Error, Equatable {
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
