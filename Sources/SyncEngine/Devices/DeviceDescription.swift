package import SyncProtocol

/// What a device says of itself with a request.
package struct DeviceDescription: Sendable, Equatable {
    /// In bytes.
    private static let (longestID, longestName, longestVersion) = (128, 128, 64)

    package let id: ExactText
    /// Nil if the request does not say.
    package let name: String?
    package let appVersion: String?

    /// Nil for an id that can't be held: an empty one, one of more than 128 bytes, one with control characters. A name
    /// and a version are cut, to 128 and 64 bytes. What would disturb a terminal becomes a space.
    package init?(id: String, name: String? = nil, appVersion: String? = nil) {
        guard (1...DeviceDescription.longestID).contains(id.utf8.count),
            !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else { return nil }
        self.id = ExactText(id)
        self.name = name.flatMap { DeviceDescription.plain($0, bytes: DeviceDescription.longestName) }
        self.appVersion = appVersion.flatMap { DeviceDescription.plain($0, bytes: DeviceDescription.longestVersion) }
    }

    /// One line without control characters and marks of direction, at most `bytes` long; nil if nothing is left.
    private static func plain(_ text: String, bytes: Int) -> String? {
        var scalars = String.UnicodeScalarView()
        // A text that is much longer is not walked through.
        for scalar in text.unicodeScalars.prefix(4 * bytes) { scalars.append(scalar.isPlain ? scalar : " ") }
        let words = String(scalars).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        var line = ""
        for character in words where !line.isEmpty || !character.isWhitespace {
            guard line.utf8.count + character.utf8.count <= bytes else { break }
            line.append(character)
        }
        while line.last?.isWhitespace ?? false { line.removeLast() }
        return line.isEmpty ? nil : line
    }
}

extension Unicode.Scalar {
    /// Joiners are the only invisible characters that change what a character looks like, and not where it stands.
    fileprivate var isPlain: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        case .format: value == 0x200C || value == 0x200D
        default: true
        }
    }
}
