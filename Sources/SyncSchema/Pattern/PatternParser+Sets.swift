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
