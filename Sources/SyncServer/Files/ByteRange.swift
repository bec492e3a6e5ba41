import SyncProtocol

/// What a `Range` header asks for (RFC 9110 section 14.1.2), if it is one range of bytes.
struct ByteRange: Equatable {
    private enum Ask: Equatable {
        /// From an offset to another one, inclusive; nil for the end.
        case from(Int64, to: Int64?)
        /// So many bytes at the end.
        case last(Int64)
    }

    private let ask: Ask

    /// Nil for what may be ignored: another unit, several ranges, or no valid range.
    init?(_ header: String) {
        guard header.hasPrefix("bytes=") else { return nil }
        let ends = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = ByteRange.number(ends[0]), let last = ByteRange.number(ends[1]) else {
            return nil
        }
        switch (first, last) {
        case (nil, nil): return nil
        case (nil, let count?): ask = .last(count)
        case (let start?, let end):
            guard end.map({ $0 >= start }) ?? true else { return nil }
            ask = .from(start, to: end)
        }
    }

    /// The bytes of something so large; nil if it has none of them.
    func bytes(of size: Int64) -> Range<Int64>? {
        switch ask {
        case .from(let start, let end): start < size ? start..<min(end.map { $0 &+ 1 } ?? size, size) : nil
        case .last(let count): count > 0 && size > 0 ? max(0, size - count)..<size : nil
        }
    }

    /// Nil if it is no number. The inner nil stands for nothing.
    private static func number(_ text: Substring) -> Int64?? {
        let digits = text.trimming(while: \.isWhitespace)
        if digits.isEmpty { return .some(nil) }
        guard digits.utf8.allSatisfy(\.isASCIIDigit), digits.utf8.count <= 18 else { return nil }
        return Int64(digits).map(Optional.some)
    }
}
