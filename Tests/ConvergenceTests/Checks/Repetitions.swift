import Foundation
import SyncClientCore
import SyncProtocol

/// The answers to batches, whether they arrived or not. A repeated batch must get the same answer again.
struct Repetitions: Sendable {
    /// By user and request body; the body contains the batch id.
    private var answers: [String: Data] = [:]

    /// Throws a `Failure` if the batch was applied before and the answer
    /// differs from the first one, or does not say that it is a replay.
    mutating func check(_ response: TransportResponse, to request: TransportRequest) throws {
        guard request.method == .post, response.status == 200 else { return }
        let body = String(decoding: request.body, as: UTF8.self)
        let key = (request.headers["Authorization"] ?? "") + body
        guard let first = answers[key] else {
            answers[key] = response.body
            return
        }
        guard Self.isSame(response.body, first), response.headers["idempotent-replayed"] == "true" else {
            throw Failure("a batch was applied again: \(body)")
        }
    }

    /// Whether an answer is the first one, byte for byte, or says less of
    /// rows that the sender may not see any more.
    private static func isSame(_ answer: Data, _ first: Data) -> Bool {
        if answer == first { return true }
        guard let answer = try? JSON(parsing: answer), let first = try? JSON(parsing: first) else { return false }
        return answer.withoutSecrets == first.withoutSecrets
    }
}

extension JSON {
    /// The document without the members that a replay may leave out.
    fileprivate var withoutSecrets: JSON {
        switch self {
        case .object(let members):
            .object(members.filter { !["server_values", "existing"].contains($0.key) }.mapValues(\.withoutSecrets))
        case .array(let elements): .array(elements.map(\.withoutSecrets))
        default: self
        }
    }
}
