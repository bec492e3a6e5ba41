package import SyncProtocol

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
