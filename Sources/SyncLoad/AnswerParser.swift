import NIOCore

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
