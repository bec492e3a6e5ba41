import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// The body of a request with `Expect: 100-continue` (RFC 9110 section 10.1.1). The first read asks the
/// client for the body with `100 Continue`. A request that is refused because of its head never asks for it.
struct ContinueBody: AsyncSequence, Sendable {
    let body: RequestBody
    /// The connection.
    let channel: any Channel

    func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(body: body.makeAsyncIterator(), uninvited: channel)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        /// Nil once the client has been asked.
        fileprivate var uninvited: (any Channel)?

        @concurrent mutating func next() async throws -> ByteBuffer? {
            if let channel = uninvited {
                channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
                uninvited = nil
            }
            return try await body.next()
        }
    }
}

extension HTTPRequest {
    /// Whether the client holds back the body until it is asked for it, or until it gives up waiting.
    var expectsInvitation: Bool { headerFields[.expect]?.lowercased() == "100-continue" }
}

extension Request {
    /// The same request. If the client waits to be asked, reading the body asks for it.
    func inviting(on channel: any Channel) -> Request {
        guard head.expectsInvitation else { return self }
        var request = self
        request.body = RequestBody(asyncSequence: ContinueBody(body: body, channel: channel))
        return request
    }
}
