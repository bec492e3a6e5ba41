import NIOCore
import NIOHTTP1

/// What has to be done to heads while they have their version, which the types behind this handler lack.
///
/// HTTP/1.0 asks for it (RFC 9112 section 9.3 and 6.1, RFC 9110 sections 7.2 and 10.1.1): a request needs no `Host`, an
/// `Expect` is ignored, an answer has no chunks, and the connection ends after it. What follows such a request is not
/// read. Every answer gets `X-Content-Type-Options`, so no browser takes one for something else than it says.
final class WireHeads: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The name of a request that names none. Nobody is let in by this name.
    static let noName = "unnamed.invalid"

    /// Requests of HTTP/1.1 that have begun and have no complete answer.
    private var unanswered = 0
    /// Whether the last request is one of HTTP/1.0.
    private var isOld = false
    /// Whether the last request that is read has ended.
    private var isOver = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        switch unwrapInboundIn(data) {
        case .head(let head) where head.version.isOld:
            isOld = true
            context.fireChannelRead(wrapInboundOut(.head(renewed(head))))
        case .head:
            unanswered += 1
            context.fireChannelRead(data)
        case .body: context.fireChannelRead(data)
        case .end:
            isOver = isOld
            context.fireChannelRead(data)
        }
    }

    private func renewed(_ head: HTTPRequestHead) -> HTTPRequestHead {
        var head = head
        head.headers.replaceOrAdd(name: "connection", value: "close")
        head.headers.remove(name: "expect")
        if !head.headers.contains(name: "host") { head.headers.add(name: "host", value: WireHeads.noName) }
        return head
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head) where head.status.code >= 200:
            head.headers.replaceOrAdd(name: "x-content-type-options", value: "nosniff")
            // The encoder makes no chunks of an answer of this version.
            if isOld, unanswered == 0 { head.version = .http1_0 }
            context.write(wrapOutboundOut(.head(head)), promise: promise)
        // HTTP/1.0 has no interim answers.
        case .head where isOld && unanswered == 0: promise?.succeed()
        case .end:
            unanswered = max(0, unanswered - 1)
            context.write(data, promise: promise)
        default: context.write(data, promise: promise)
        }
    }
}

extension HTTPVersion {
    fileprivate var isOld: Bool { major == 1 && minor == 0 }
}
