import NIOCore
import SyncProtocol

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
