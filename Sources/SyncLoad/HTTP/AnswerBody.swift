import NIOCore
import SyncProtocol

/// What becomes of a body while it comes.
enum AnswerBody {
    /// Kept.
    case whole(ByteBuffer)
    /// Read as a page, and not kept.
    case stream(PageStream)
    /// Hashed, and not kept.
    case plain(XXHash64)

    mutating func append(_ part: ByteBuffer) {
        // Taken out of the enum, so that what is appended to has one owner and is not copied.
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

    /// What an answer with another status says.
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
