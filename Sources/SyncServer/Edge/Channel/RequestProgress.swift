import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// How much of the requests on a connection has come, as far as it matters for how an answer ends.
struct RequestProgress {
    /// Bytes of a body that are read to keep a connection whose request was answered early. There are HTTP clients that take a
    /// connection that ends before they have sent all for a failure, answer or not, and a body may be just above its limit.
    static let tolerated = 2 * JSONBody.maximumBytes

    /// Requests that have begun and are not answered.
    private var unanswered = 0
    /// Bytes of the last request's body that are to come; nil where it does not say. 0 behind its end.
    private var missing: Int? = 0
    /// The client sends no body until it is asked.
    private var isWaiting = false
    private var asksToClose = false

    mutating func take(_ part: HTTPRequestPart) {
        switch part {
        case .head(let head):
            unanswered += 1
            missing = head.bodyLength
            isWaiting = head.expectsInvitation && missing != 0
            asksToClose = head.asksToClose
        case .body(let bytes):
            missing = missing.map { $0 - bytes.readableBytes }
            isWaiting = false
        case .end:
            missing = 0
            isWaiting = false
        }
    }

    /// The client has been asked for its body.
    mutating func invited() { isWaiting = false }

    /// No more of it will be understood.
    mutating func broke() { missing = 0 }

    mutating func answered() { unanswered = max(0, unanswered - 1) }

    /// Whether nothing of the body is to come.
    var isComplete: Bool { missing == 0 }

    /// Whether the answer that begins is the last one. A request behind which another one came is complete.
    var endsConnection: Bool {
        guard unanswered == 1 else { return false }
        return asksToClose || isWaiting || missing.map { $0 > Self.tolerated } ?? true
    }
}

extension HTTPRequest {
    fileprivate var asksToClose: Bool {
        guard let options = headerFields[.connection] else { return false }
        return options.lowercased().split(separator: ",").contains { $0.trimming(while: \.isWhitespace) == "close" }
    }

    /// Nil: as many bytes as come.
    fileprivate var bodyLength: Int? {
        if headerFields[.transferEncoding] != nil { return nil }
        guard let length = headerFields[.contentLength] else { return 0 }
        return Int(length) ?? .max
    }
}
