import Foundation
import NIOCore
import SyncProtocol

/// Reads HTTP/1.1 responses (RFC 9112) from the bytes of a connection, as a state machine on values.
struct AnswerParser {
    enum Event: Equatable {
        case head(AnswerHead)
        /// A part of the body: a slice of the received bytes.
        case body(ByteBuffer)
        case end
    }

    struct Malformed: Error {
        let what: String
    }

    private enum State {
        case head
        case body(left: Int)
        case chunkSize
        case chunk(left: Int)
        case chunkEnd
        case trailers
        case end
    }

    private static let headLimit = 64 << 10
    private var state = State.head
    private var input = ByteBuffer()

    mutating func append(_ bytes: ByteBuffer) {
        if input.readableBytes == 0 {
            input = bytes
        } else {
            var bytes = bytes
            input.writeBuffer(&bytes)
        }
    }

    /// The next event; nil when more bytes are needed.
    mutating func next() throws(Malformed) -> Event? {
        let event = try advance()
        // Release the bytes that were read, so the connection can reuse the memory.
        if event == nil, input.readableBytes == 0 { input = ByteBuffer() }
        return event
    }

    private mutating func advance() throws(Malformed) -> Event? {
        switch state {
        case .head: return try head().map(Event.head)
        case .body(let left): return part(left) { $0 == 0 ? .end : .body(left: $0) }.map(Event.body)
        case .chunk(let left): return part(left) { $0 == 0 ? .chunkEnd : .chunk(left: $0) }.map(Event.body)
        case .end:
            state = .head
            return .end
        case .chunkEnd:
            guard line() != nil else { return nil }
            state = .chunkSize
            return try advance()
        case .chunkSize:
            guard let line = line() else { return nil }
            let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 }
            guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0 else {
                throw Malformed(what: "a chunk without a size")
            }
            state = size == 0 ? .trailers : .chunk(left: size)
            return try advance()
        case .trailers:
            guard let line = line() else { return nil }
            if line.isEmpty { state = .end }
            return try advance()
        }
    }

    /// As much of the body as has arrived.
    private mutating func part(_ left: Int, then: (Int) -> State) -> ByteBuffer? {
        guard let part = input.readSlice(length: min(left, input.readableBytes)), part.readableBytes > 0 else {
            return nil
        }
        state = then(left - part.readableBytes)
        return part
    }

    /// A line without its line break; nil when it is not complete.
    private mutating func line() -> [UInt8]? {
        guard let length = input.readableBytesView.firstIndex(of: 0x0A).map({ $0 - input.readerIndex }) else {
            return nil
        }
        guard let bytes = input.readBytes(length: length + 1) else { return nil }
        return bytes.dropLast(bytes.suffix(2).first == 0x0D && bytes.count > 1 ? 2 : 1)
    }

    // MARK: The head

    private mutating func head() throws(Malformed) -> AnswerHead? {
        let read = input.withUnsafeReadableBytes { HeadReader.read($0) }
        guard let read else {
            guard input.readableBytes <= Self.headLimit else { throw Malformed(what: "a head without an end") }
            return nil
        }
        guard let head = read.head else { throw Malformed(what: "not HTTP/1.1") }
        input.moveReaderIndex(forwardBy: read.count)
        // Interim responses, such as 103, have no body. The real response follows.
        if head.status < 200 { return try self.head() }
        state = head.isChunked ? .chunkSize : (head.length ?? 0) > 0 ? .body(left: head.length ?? 0) : .end
        guard head.isChunked || head.length != nil || head.status == 204 || head.status == 304 else {
            throw Malformed(what: "a body without a length")
        }
        return head
    }
}

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

/// What the load tester needs to know of a response's head.
struct AnswerHead: Sendable, Equatable {
    var status = 0
    var isGzip = false
    /// Whether the connection can be used again.
    var keepsAlive = true
    /// `Content-Length`; nil for a chunked body.
    var length: Int?
    var isChunked = false
}
