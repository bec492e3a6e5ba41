import Foundation

/// A text that somebody chose as a name: of a user, a device, a credential. Two of them are equal if their bytes are
/// equal, and they sort by their bytes.
///
/// Swift's `String` treats canonically equivalent texts as equal, such as U+00E9 and "e" with U+0301. SQLite and all
/// clients compare bytes, so for them these are two texts.
public struct ExactText: RawRepresentable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }
    public init(_ text: String) { rawValue = text }
}

extension ExactText: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.hasSameBytes(as: right.rawValue) }

    public func hash(into hasher: inout Hasher) {
        var text = rawValue
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension ExactText: Comparable {
    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}

extension ExactText: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral text: String) { rawValue = text }

    public var description: String { rawValue }
}

extension String {
    /// Whether both have the same bytes; see `ExactText`.
    package func hasSameBytes(as other: String) -> Bool {
        let areSame = utf8.withContiguousStorageIfAvailable { bytes in
            other.utf8.withContiguousStorageIfAvailable { others in
                bytes.count == others.count
                    && (bytes.isEmpty || memcmp(bytes.baseAddress!, others.baseAddress!, bytes.count) == 0)
            }
        }
        // Texts of Objective-C may not have all bytes in one place.
        return (areSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}
