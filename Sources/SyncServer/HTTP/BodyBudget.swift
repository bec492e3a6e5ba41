import HTTPTypes
import Hummingbird
import NIOCore
import SyncProtocol
import Synchronization

/// The memory of all request bodies that are under way, by whom they are of. A body counts from its first byte until
/// its request is answered, because what is read from it lives as long.
final class BodyBudget: Sendable {
    /// Whose body it is.
    enum Holder: Hashable, Sendable {
        /// Of somebody who has shown no token.
        case stranger
        case user(Int64)
    }

    private struct State {
        var held = 0
        var byHolder: [Holder: Int] = [:]
    }

    /// The most bytes of all bodies together.
    private let limit: Int
    private let state = Mutex(State())

    init(_ limit: Int) { self.limit = limit }

    /// How many bytes are held now.
    var held: Int { state.withLock { $0.held } }

    /// The most bytes of one body. An endpoint without a token takes a name and a password, or a token.
    static func longest(of holder: Holder) -> Int {
        switch holder {
        case .stranger: 16 << 10
        case .user: JSONBody.maximumBytes
        }
    }

    /// Strangers together have an eighth, and a user a quarter but at least one whole body, so neither keeps the others
    /// from uploading.
    private func share(of holder: Holder) -> Int {
        switch holder {
        case .stranger: limit / 8
        case .user: max(limit / 4, JSONBody.maximumBytes)
        }
    }

    private func take(_ bytes: Int, for holder: Holder) -> Bool {
        state.withLock { state in
            let own = state.byHolder[holder, default: 0] + bytes
            guard state.held + bytes <= limit, own <= share(of: holder) else { return false }
            state.held += bytes
            state.byHolder[holder] = own
            return true
        }
    }

    private func giveBack(_ bytes: Int, of holder: Holder) {
        guard bytes > 0 else { return }
        state.withLock { state in
            state.held -= bytes
            let rest = state.byHolder[holder, default: 0] - bytes
            state.byHolder[holder] = rest > 0 ? rest : nil
        }
    }

    /// What one body holds. It is given back by `end`, or with this object.
    final class Lease: Sendable {
        private let budget: BodyBudget
        private let holder: Holder
        private let bytes = Mutex(0)

        init(_ budget: BodyBudget, for holder: Holder) {
            self.budget = budget
            self.holder = holder
        }

        deinit { end() }

        /// The most bytes of this body.
        var limit: Int { BodyBudget.longest(of: holder) }

        /// Takes what has come. Throws `body_too_large`, and `busy` if there is no room.
        func take(_ more: Int) throws {
            try bytes.withLock { bytes in
                guard bytes + more <= limit else { throw Problem.bodyTooLarge(limit) }
                guard budget.take(more, for: holder) else { throw Problem.noRoom }
                bytes += more
            }
        }

        func end() {
            bytes.withLock { bytes in
                budget.giveBack(bytes, of: holder)
                bytes = 0
            }
        }
    }
}

extension Problem {
    static func bodyTooLarge(_ limit: Int) -> Problem {
        let advice =
            limit < JSONBody.maximumBytes
            ? "" : " Send a batch in parts. A single row of that size can't be stored: shorten it."
        return Problem(
            .bodyTooLarge, "The body is larger than \(limit) bytes.\(advice)", members: ["limit": .int(Int64(limit))])
    }

    fileprivate static let noRoom = Problem(
        .busy, "The server holds as many request bodies as it has room for, and nothing was applied. Try again.")
}

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
