import Foundation
import SyncProtocol

/// The head of an answer, as far as a load tester cares.
struct AnswerHead: Sendable, Equatable {
    var status = 0
    var isGzip = false
    /// The connection can be used again.
    var keepsAlive = true
    /// `Content-Length`; nil for a chunked body.
    var length: Int?
    var isChunked = false
}
