import Foundation

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
