package import SyncProtocol

/// The idempotency record of a request: what it was and how it was answered.
package struct StoredAnswer: Sendable, Equatable {
    package let key: IdempotencyKey
    /// SHA-256 of the canonical form of the request's body, in hex.
    package let bodyHash: String
    /// The answer's body, byte for byte.
    package let response: String
    package let storedAt: Instant

    package init(key: IdempotencyKey, bodyHash: String, response: String, storedAt: Instant) {
        self.key = key
        self.bodyHash = bodyHash
        self.response = response
        self.storedAt = storedAt
    }
}

/// Names a request that is applied once, however often it is sent. The
/// same text of another user, or in another project, is another key.
package struct IdempotencyKey: Sendable, Hashable {
    /// The project's id; empty for requests outside of projects.
    package let scope: String
    package let userID: Int64
    /// The kind of request, a colon, and the name that the client gave the request.
    package let text: ExactText

    package init(scope: String, userID: Int64, text: ExactText) {
        self.scope = scope
        self.userID = userID
        self.text = text
    }

    /// The key of an upload; `batchID` is in lower case.
    package static func batch(_ batchID: String, project: String, userID: Int64) -> IdempotencyKey {
        IdempotencyKey(scope: project, userID: userID, text: ExactText("batch:" + batchID))
    }

    /// The key of a create, from its header `Idempotency-Key`.
    package static func create(_ header: String, project: String, userID: Int64) -> IdempotencyKey {
        IdempotencyKey(scope: project, userID: userID, text: ExactText("create:" + header))
    }
}

/// From how many bytes on a record counts against what a user may have. Small ones are not counted, so that writing
/// them costs nothing; there are only as many of them as rows can be uploaded.
package enum LargeRecord {
    /// The replaced values of a change.
    package static let change = 4 << 10
    /// A stored answer.
    package static let answer = 16 << 10
}
