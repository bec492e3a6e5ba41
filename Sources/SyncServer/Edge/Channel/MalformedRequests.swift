import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import SyncProtocol

/// Adds the problem document to the answer to bytes that are not a request. Hummingbird answers them in their
/// turn with a bare 400 and `Connection: close`. This handler replaces that head and sends a body after it.
final class MalformedRequests: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var problem: Problem?

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if let error = error as? HTTPParserError { problem = error == .headerOverflow ? .headersTooLarge : .malformed }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard let problem, case .head(let head) = unwrapOutboundIn(data), isBare(head) else {
            return context.write(data, promise: promise)
        }
        let body = ByteBuffer(bytes: problem.document.bytes)
        context.write(wrapOutboundOut(.head(self.head(body.readableBytes))), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: promise)
    }

    private func isBare(_ head: HTTPResponse) -> Bool {
        head.status == .badRequest && head.headerFields[.contentType] == nil
    }

    private func head(_ length: Int) -> HTTPResponse {
        var fields: HTTPFields = [.connection: "close", .contentLength: String(length), .server: "tidemark"]
        fields.describe(Problem.mediaType)
        return HTTPResponse(status: .badRequest, headerFields: fields)
    }
}

extension Problem {
    fileprivate static let malformed = Problem(
        .malformedRequest, "This is not a valid HTTP/1.1 request. The connection is closed.")
}
