/// The characters that an expression takes at one position.
struct ScalarSet: Sendable {
    /// A part of a set. A negated one contains every character that its items don't.
    indirect enum Item: Sendable {
        case range(ClosedRange<UInt32>)
        case categories(Set<Unicode.GeneralCategory>)
        case any([Item])
        case not([Item])

        func contains(_ scalar: Unicode.Scalar) -> Bool {
            switch self {
            case .range(let range): range.contains(scalar.value)
            case .categories(let categories): categories.contains(scalar.properties.generalCategory)
            case .any(let items): items.contains { $0.contains(scalar) }
            case .not(let items): !items.contains { $0.contains(scalar) }
            }
        }
    }

    private let items: [Item]
    /// A bit for each ASCII character. Nearly all characters are ASCII.
    private let ascii: (UInt64, UInt64)

    init(_ items: [Item]) {
        self.items = items
        var ascii: (UInt64, UInt64) = (0, 0)
        for value in UInt8(0)..<128 where items.contains(where: { $0.contains(Unicode.Scalar(value)) }) {
            if value < 64 { ascii.0 |= 1 << UInt64(value) } else { ascii.1 |= 1 << UInt64(value - 64) }
        }
        self.ascii = ascii
    }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<64: ascii.0 >> UInt64(scalar.value) & 1 == 1
        case 64..<128: ascii.1 >> UInt64(scalar.value - 64) & 1 == 1
        default: items.contains { $0.contains(scalar) }
        }
    }
}

extension ScalarSet.Item {
    static func single(_ value: UInt32) -> Self { .range(value...value) }
    private static func ascii(_ first: Unicode.Scalar, _ last: Unicode.Scalar) -> Self {
        .range(first.value...last.value)
    }

    /// `\d`.
    static let digits = [ascii("0", "9")]
    /// `\w`.
    static let word = [ascii("a", "z"), ascii("A", "Z"), ascii("0", "9"), ascii("_", "_")]
    /// `\s`: https://tc39.es/ecma262/#sec-white-space and the line terminators.
    static let space = [.range(0x09...0x0D), single(0xFEFF), .range(0x2028...0x2029), .categories([.spaceSeparator])]
    /// The characters that `.` does not take.
    static let lineEnds = [single(0x0A), single(0x0D), .range(0x2028...0x2029)]
}

extension Unicode.GeneralCategory {
    /// The categories by a short name from `\p{…}`: one category, such as `Lu`, or a group of them, such as `L`.
    static func named(_ name: String) -> Set<Unicode.GeneralCategory>? {
        let found = names.filter { $0.key == name || (name.utf8.count == 1 && $0.key.hasPrefix(name)) }
        return found.isEmpty ? nil : Set(found.values)
    }

    private static let names: [String: Unicode.GeneralCategory] = [
        "Lu": .uppercaseLetter, "Ll": .lowercaseLetter, "Lt": .titlecaseLetter, "Lm": .modifierLetter,
        "Lo": .otherLetter, "Mn": .nonspacingMark, "Mc": .spacingMark, "Me": .enclosingMark, "Nd": .decimalNumber,
        "Nl": .letterNumber, "No": .otherNumber, "Pc": .connectorPunctuation, "Pd": .dashPunctuation,
        "Ps": .openPunctuation, "Pe": .closePunctuation, "Pi": .initialPunctuation, "Pf": .finalPunctuation,
        "Po": .otherPunctuation, "Sm": .mathSymbol, "Sc": .currencySymbol, "Sk": .modifierSymbol, "So": .otherSymbol,
        "Zs": .spaceSeparator, "Zl": .lineSeparator, "Zp": .paragraphSeparator, "Cc": .control, "Cf": .format,
        "Cs": .surrogate, "Co": .privateUse, "Cn": .unassigned,
    ]
}
