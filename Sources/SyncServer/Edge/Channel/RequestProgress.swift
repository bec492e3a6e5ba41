import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// How much of the requests on a connection has come. This decides how an answer ends.
struct RequestProgress {
    /// The most bytes of a body that are read to keep a connection whose request was
    /// answered early. Some HTTP clients report a failure if a connection ends before they
    /// have sent everything, even after an answer. A body may be only just above its limit.
    static let tolerated = 2 * JSONBody.maximumBytes

    /// Requests that have begun and have no complete answer.
    private var unanswered = 0
    /// Bytes of the last request's body that are still to come; nil if the request does not say. 0 after its end.
    private var missing: Int? = 0
    /// Whether the client sends no body until it is asked for it.
    private var isWaiting = false
    private var asksToClose = false

    /// A part of a request has come.
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

    /// The rest can't be parsed.
    mutating func broke() { missing = 0 }

    /// An answer has been written to its end.
    mutating func answered() { unanswered = max(0, unanswered - 1) }

    /// Whether the whole body has come.
    var isComplete: Bool { missing == 0 }

    /// Whether the answer that begins now is the last one. If another request is
    /// unanswered too, this one is complete, because the other one followed it.
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

    /// The length of the body in bytes; nil if the request does not say.
    var bodyLength: Int? {
        if headerFields[.transferEncoding] != nil { return nil }
        guard let length = headerFields[.contentLength] else { return 0 }
        return Int(length) ?? .max
    }
}
