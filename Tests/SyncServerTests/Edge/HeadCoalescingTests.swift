import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@testable import SyncServer

/// When the head of an answer is sent.
@Suite struct HeadCoalescingTests {
    private let channel = EmbeddedChannel(handler: HeadCoalescing())
    private let body = HTTPResponsePart.body(ByteBuffer(string: "a"))
    private let end = HTTPResponsePart.end(nil)

    /// What is sent with this part. It is flushed after each part, as Hummingbird does.
    private func leaving(with part: HTTPResponsePart) throws -> [HTTPResponsePart] {
        channel.write(part, promise: nil)
        channel.flush()
        var parts: [HTTPResponsePart] = []
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) { parts.append(part) }
        return parts
    }

    private func head(_ fields: HTTPFields, status: HTTPResponse.Status = .ok) -> HTTPResponsePart {
        .head(HTTPResponse(status: status, headerFields: fields))
    }

    @Test func aHeadThatNamesTheLengthLeavesWithTheBody() throws {
        let head = head([.contentLength: "1"])
        #expect(try leaving(with: head) == [])
        #expect(try leaving(with: body) == [head, body])
        #expect(try leaving(with: end) == [end])
        #expect(try leaving(with: head) == [], "the next answer's")
        #expect(try leaving(with: end) == [head, end], "nothing but a head")
    }

    @Test func theHeadOfAStreamLeavesAtOnce() throws {
        let head = head([.transferEncoding: "chunked"])
        #expect(try leaving(with: head) == [head])
        #expect(try leaving(with: body) == [body])
    }

    @Test func aClientIsInvitedToSendAtOnce() throws {
        let invitation = head([:], status: .continue)
        #expect(try leaving(with: invitation) == [invitation])
    }
}
