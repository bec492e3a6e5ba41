import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol

/// The body of a request, of which each part is taken from the budget when it comes.
struct MeteredBody: AsyncSequence, Sendable {
    let body: RequestBody
    let lease: BodyBudget.Lease

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(body: body.makeAsyncIterator(), lease: lease) }

    struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var body: RequestBody.AsyncIterator
        fileprivate let lease: BodyBudget.Lease

        @concurrent mutating func next() async throws -> ByteBuffer? {
            guard let part = try await body.next() else { return nil }
            try lease.take(part.readableBytes)
            return part
        }
    }
}

extension Request {
    /// The same request with a body that is metered. Throws `body_too_large` if its length is known and too large.
    func metered(by lease: BodyBudget.Lease) throws -> Request {
        if let length = headers[.contentLength], UInt64(length).map({ $0 > lease.limit }) ?? true {
            throw Problem.bodyTooLarge(lease.limit)
        }
        var request = self
        request.body = RequestBody(asyncSequence: MeteredBody(body: body, lease: lease))
        return request
    }
}
