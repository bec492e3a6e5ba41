import NIOCore

/// Reads a page while it arrives, without keeping it. Hashes the part that everybody gets, and keeps the end, which
/// has the cursor. A thousand pages that arrive at once take little memory, and a page costs one pass while its
/// bytes are in the processor's cache.
struct PageStream {
    /// The least number of bytes that is kept: more than the members after `changes` take.
    private static let kept = 16 << 10
    private static let high = 64 << 10
    private static let timestamp = BytePattern("\"timestamp\":")
    private static let cursor = BytePattern("\"next_cursor\":")
    private static let hasMore = BytePattern("\"has_more\":")
    private static let progress = BytePattern("\"progress\":{\"rows\":")
    private static let digest = BytePattern("\"digest\":{")

    /// The keys of the own-only collections as a page writes them.
    private let own: [BytePattern]
    private var hash = XXHash64()
    private var tail = ByteBuffer()
    private var isPastShared = false

    init(own: [BytePattern]) { self.own = own }

    static func patterns(_ own: [String]) -> [BytePattern] { own.map { BytePattern("\"\($0)\":{") } }

    mutating func append(_ part: ByteBuffer) {
        var part = part
        tail.writeBuffer(&part)
        if tail.readableBytes > Self.high { digestFront(tail.readableBytes - Self.kept) }
    }

    private mutating func digestFront(_ count: Int) {
        if !isPastShared {
            tail.withUnsafeReadableBytes { bytes in
                // A key may cross the border.
                let border = min(bytes.count, count + 128)
                let cut = firstOwn(UnsafeRawBufferPointer(rebasing: bytes[..<border])).flatMap { $0 < count ? $0 : nil }
                hash.update(UnsafeRawBufferPointer(rebasing: bytes[..<(cut ?? count)]))
                isPastShared = cut != nil
            }
        }
        tail.moveReaderIndex(forwardBy: count)
        tail.discardReadBytes()
    }

    private func firstOwn(_ bytes: UnsafeRawBufferPointer) -> Int? {
        own.compactMap { $0.first(in: bytes) }.min()
    }

    /// The page's facts; nil when its end is not that of a page.
    mutating func finish() -> PageFacts? {
        let tail = tail
        let own = own
        return tail.withUnsafeReadableBytes { bytes in
            if !isPastShared {
                let cut = own.compactMap { $0.first(in: bytes) }.min() ?? Self.cursor.last(in: bytes) ?? 0
                hash.update(UnsafeRawBufferPointer(rebasing: bytes[..<cut]))
            }
            return Self.end(UnsafeRawBufferPointer(rebasing: bytes.suffix(Self.kept)), print: hash.value)
        }
    }

    private static func end(_ bytes: UnsafeRawBufferPointer, print: UInt64) -> PageFacts? {
        func value(_ pattern: BytePattern) -> JSONCursor? {
            pattern.last(in: bytes).map {
                JSONCursor(UnsafeRawBufferPointer(rebasing: bytes[($0 + pattern.bytes.count)...]))
            }
        }
        guard var timestamp = value(timestamp), let seq = try? timestamp.integer(), var cursor = value(cursor),
            var more = value(hasMore), let answer = try? more.peek(), var rows = value(progress)
        else { return nil }
        let next = try? cursor.string().text
        let hasMore = answer == UInt8(ascii: "t")
        return PageFacts(
            timestamp: seq, cursor: next, hasMore: hasMore, rowsSoFar: (try? rows.integer()).map(Int.init) ?? 0,
            hasDigest: !hasMore && digest.last(in: bytes) != nil, print: print, rows: nil)
    }
}

/// Searches for a text in many bytes, with Horspool's algorithm ("Practical fast searching in strings", 1980). It looks
/// at about one byte in n, where n is the length of the text.
struct BytePattern: Sendable {
    let bytes: [UInt8]
    /// For each byte: how far to advance when it is under the last byte of the text.
    private let shifts: [Int]

    init(_ text: String) {
        bytes = Array(text.utf8)
        var shifts = [Int](repeating: bytes.count, count: 256)
        for (index, byte) in bytes.dropLast().enumerated() { shifts[Int(byte)] = bytes.count - 1 - index }
        self.shifts = shifts
    }

    /// The offset of the first occurrence.
    func first(in haystack: UnsafeRawBufferPointer) -> Int? {
        let last = bytes.count - 1
        return shifts.withUnsafeBufferPointer { shifts in
            var at = 0
            while at + last < haystack.count {
                let byte = haystack[at + last]
                if byte == bytes[last], matches(haystack, at) { return at }
                at += shifts[Int(byte)]
            }
            return nil
        }
    }

    /// The offset of the last occurrence.
    func last(in haystack: UnsafeRawBufferPointer) -> Int? {
        stride(from: haystack.count - bytes.count, through: 0, by: -1).first { matches(haystack, $0) }
    }

    private func matches(_ haystack: UnsafeRawBufferPointer, _ at: Int) -> Bool {
        for index in bytes.indices where haystack[at + index] != bytes[index] { return false }
        return true
    }
}
