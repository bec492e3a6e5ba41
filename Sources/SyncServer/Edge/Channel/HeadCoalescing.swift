import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// Sends the head of an answer together with its body, where they come one behind the other anyway: Hummingbird flushes
/// between the two, and a packet, and a system call, for the head alone cost an eighth of all that a page takes.
///
/// A head that names the body's length is followed at once, since such bodies are in memory. One of a stream is not held.
final class HeadCoalescing: ChannelOutboundHandler, RemovableChannelHandler {
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var isHeld = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) {
            isHeld = head.headerFields[.contentLength] != nil
        } else {
            isHeld = false
        }
        context.write(data, promise: promise)
    }

    func flush(context: ChannelHandlerContext) {
        if !isHeld { context.flush() }
    }
}
