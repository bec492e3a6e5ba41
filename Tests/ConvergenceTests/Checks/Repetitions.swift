import Foundation
import SyncClient
import SyncProtocol

/// The answers that batches got, whether they arrived or not: a repeated batch must get the same.
struct Repetitions: Sendable {
    /// By user and request body, in which the batch id is.
    private var answers: [String: Data] = [:]

    /// Throws a `Failure` where a batch was applied before, and the answer is another one or does not say so.
    mutating func check(_ response: TransportResponse, to request: TransportRequest) throws {
        guard request.method == .post, response.status == 200 else { return }
        let body = String(decoding: request.body, as: UTF8.self)
        let key = (request.headers["Authorization"] ?? "") + body
        guard let first = answers[key] else {
            answers[key] = response.body
            return
        }
        guard response.body == first, response.headers["idempotent-replayed"] == "true" else {
            throw Failure("a batch was applied again: \(body)")
        }
    }
}
