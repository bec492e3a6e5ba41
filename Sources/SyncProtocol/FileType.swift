/// What a file is, by its first bytes. What a row or a client says of it is a claim.
package enum FileType: String, Sendable, CaseIterable {
    case jpeg = "image/jpeg"
    case png = "image/png"
    /// Of 1987 or 1989.
    case gif = "image/gif"
    /// A RIFF file of the kind `WEBP`.
    case webp = "image/webp"
    /// No picture of these kinds.
    case other = "application/octet-stream"

    /// How many bytes decide.
    package static let decisive = 12

    /// The type of a file that begins so.
    package init(beginning start: some Collection<UInt8>) {
        self = Self.allCases.first { $0.fits(start) } ?? .other
    }

    /// The name on the wire.
    package var mediaType: String { rawValue }

    private func fits(_ start: some Collection<UInt8>) -> Bool {
        switch self {
        case .jpeg: start.starts(with: [0xFF, 0xD8, 0xFF])
        case .png: start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        case .gif: start.starts(with: "GIF87a".utf8) || start.starts(with: "GIF89a".utf8)
        // The four bytes between are the size.
        case .webp: start.starts(with: "RIFF".utf8) && start.dropFirst(8).prefix(4).elementsEqual("WEBP".utf8)
        case .other: true
        }
    }
}

extension StringProtocol {
    /// Whether rows can name a file by it: 64 hex digits, with lower-case letters.
    package var isFileDigest: Bool {
        utf8.count == 64 && utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
