import SyncProtocol

/// Names and notes are other people's texts. What a terminal acts on must not reach it: control characters, C1 among
/// them, line and paragraph separators, and what turns the direction of writing or can't be seen.
extension String {
    /// Whether it can be printed as it is.
    var isPlain: Bool { unicodeScalars.allSatisfy(\.isPlain) }

    /// Itself if it is plain, otherwise a JSON string that is.
    var quoted: String { isPlain ? self : JSON.string(self).plainText }

    /// With a space for each scalar that is not plain, and for each CR LF.
    var plain: String {
        if isPlain { return self }
        var scalars = String.UnicodeScalarView()
        for scalar in replacing("\r\n", with: "\n").unicodeScalars { scalars.append(scalar.isPlain ? scalar : " ") }
        return String(scalars)
    }
}

extension JSON {
    /// The JSON text, in which every scalar that is not plain is escaped. They occur inside strings alone.
    var plainText: String {
        if text.isPlain { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.isPlain {
                scalars.append(scalar)
            } else {
                scalars.append(contentsOf: Character(scalar).utf16.map(Self.escape).joined().unicodeScalars)
            }
        }
        return String(scalars)
    }

    private static func escape(_ unit: UInt16) -> String {
        let digits = String(unit, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}

extension Unicode.Scalar {
    /// Joiners hold the parts of some characters together.
    fileprivate var isPlain: Bool {
        if isASCII { return value >= 0x20 && value != 0x7F }
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: return false
        case .format: return value == 0x200C || value == 0x200D
        default: return true
        }
    }
}
