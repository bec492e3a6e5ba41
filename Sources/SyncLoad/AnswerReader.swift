import NIOCore
import SyncProtocol

/// Reads response bodies. Each event loop has its own reader, which remembers whole pages by their hash. A page that is
/// equal to an earlier one, byte for byte, is neither inflated nor read again.
final class AnswerReader {
    /// The most pages that are remembered.
    private static let capacity = 20_000

    let own: [String]
    let patterns: [BytePattern]
    private var memory: [UInt64: PageFacts] = [:]
    private lazy var gunzip = Gunzip()

    init(own: [String]) {
        self.own = own
        patterns = PageStream.patterns(own)
    }

    /// Reads a page. If there is a `visit`, it sees every row, even if the page is a known one.
    func page(
        _ body: ByteBuffer, isGzip: Bool, visit: ((PageRow) -> Void)? = nil
    ) throws(Mistake) -> (facts: PageFacts, scan: PageScan?) {
        let key = body.withUnsafeReadableBytes { XXHash64.of($0) }
        if visit == nil, let known = memory[key] { return (known, nil) }
        let scan = try scan(try text(body, isGzip: isGzip), visit ?? { _ in })
        if memory.count >= Self.capacity { memory.removeAll(keepingCapacity: true) }
        memory[key] = scan.facts
        return (scan.facts, scan)
    }

    /// The body, inflated if it is gzip.
    func text(_ body: ByteBuffer, isGzip: Bool) throws(Mistake) -> ByteBuffer {
        guard isGzip else { return body }
        guard let text = gunzip?.inflated(body) else { throw Mistake("A gzip body is damaged.") }
        return text
    }

    private func scan(_ text: ByteBuffer, _ visit: (PageRow) -> Void) throws(Mistake) -> PageScan {
        let outcome = text.withUnsafeReadableBytes { bytes in
            Result { () throws(JSONCursor.Malformed) in try PageScan(bytes, own: own, visit: visit) }
        }
        switch outcome {
        case .success(let scan): return scan
        case .failure(let malformed): throw Mistake("A page can't be read.", "at byte \(malformed.offset)")
        }
    }
}

/// What is done with a response body while it arrives.
enum AnswerBody {
    /// The whole body is kept.
    case whole(ByteBuffer)
    /// The body is read as a page and not kept.
    case stream(PageStream)
    /// The body is hashed and not kept.
    case plain(XXHash64)

    mutating func append(_ part: ByteBuffer) {
        // Take the value out of the enum: it then has one owner, and appending does not copy it.
        switch self {
        case .whole(var body):
            if body.readableBytes == 0 { return self = .whole(part) }
            self = .whole(ByteBuffer())
            var part = part
            body.writeBuffer(&part)
            self = .whole(body)
        case .stream(var stream):
            self = .whole(ByteBuffer())
            stream.append(part)
            self = .stream(stream)
        case .plain(var hash):
            self = .whole(ByteBuffer())
            part.withUnsafeReadableBytes { hash.update($0) }
            self = .plain(hash)
        }
    }

    /// The mistake of an answer whose status is not 200.
    func refusal(_ head: AnswerHead, _ reader: AnswerReader) -> Mistake {
        guard case .whole(let body) = self, let text = try? reader.text(body, isGzip: head.isGzip) else {
            return Mistake("A request was answered \(head.status).")
        }
        let problem = try? JSON(parsing: text.readableBytesView)
        let code = problem?["code"]?.string.map { " \($0)" } ?? ""
        let detail = problem?["detail"]?.string ?? String(buffer: text).prefix(200).description
        return Mistake("A request was answered \(head.status)\(code).", detail)
    }
}
