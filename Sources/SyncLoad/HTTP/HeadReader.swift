import Foundation
import SyncProtocol

/// Reads the lines of a response's head in place, without copying them.
enum HeadReader {
    /// Reads a head, and how many bytes it takes. Nil when the head is not complete. The
    /// `head` is nil when it is not HTTP/1.1.
    static func read(_ bytes: UnsafeRawBufferPointer) -> (head: AnswerHead?, count: Int)? {
        var head = AnswerHead()
        var start = 0
        while let end = lineEnd(bytes, from: start) {
            let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            if start == 0 {
                guard let status = status(line) else { return (nil, 0) }
                head.status = status
            } else if line.isEmpty {
                return (head, end + 2)
            } else {
                field(line, &head)
            }
            start = end + 2
        }
        return nil
    }

    private static func lineEnd(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        guard start < bytes.count,
            let found = memchr(bytes.baseAddress! + start, 0x0A, bytes.count - start)
        else { return nil }
        let end = UnsafeRawPointer(found) - bytes.baseAddress!
        return end > start ? end - 1 : nil
    }

    private static func status(_ line: UnsafeRawBufferPointer) -> Int? {
        guard line.count >= 12, UnsafeRawBufferPointer(rebasing: line[..<9]).equals("HTTP/1.1 ") else { return nil }
        return number(line[9..<12])
    }

    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int? {
        guard !digits.isEmpty, digits.count < 18, digits.allSatisfy(\.isASCIIDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func field(_ line: UnsafeRawBufferPointer, _ head: inout AnswerHead) {
        if let value = value(of: "content-length:", line) {
            head.length = number(line[value])
        } else if let value = value(of: "transfer-encoding:", line) {
            head.isChunked = has("chunked", line[value])
        } else if let value = value(of: "content-encoding:", line) {
            head.isGzip = has("gzip", line[value])
        } else if let value = value(of: "connection:", line) {
            head.keepsAlive = !has("close", line[value])
        }
    }

    /// The range of the field's value if `line` is this field; nil otherwise. `name` is in
    /// lower case and ends with the colon.
    private static func value(of name: StaticString, _ line: UnsafeRawBufferPointer) -> Range<Int>? {
        guard line.count > name.utf8CodeUnitCount else { return nil }
        for index in 0..<name.utf8CodeUnitCount where line[index] | 0x20 != name.utf8Start[index] | 0x20 { return nil }
        var range = name.utf8CodeUnitCount..<line.count
        while let first = range.first, line[first] == 0x20 { range = first + 1..<range.upperBound }
        while let last = range.last, line[last] == 0x20 { range = range.lowerBound..<last }
        return range
    }

    private static func has(_ word: String, _ value: Slice<UnsafeRawBufferPointer>) -> Bool {
        String(decoding: value, as: UTF8.self).lowercased().contains(word)
    }
}
