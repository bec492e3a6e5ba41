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
