package import SyncProtocol

/// Names a request that is to be applied once, however often it is sent. Another user's or project's is another.
package struct IdempotencyKey: Sendable, Hashable {
    /// The project's id; empty for requests outside of projects.
    package let scope: String
    package let userID: Int64
    /// The client's own name for it, behind a word for the kind of request.
    package let text: ExactText

    package init(scope: String, userID: Int64, text: ExactText) {
        self.scope = scope
        self.userID = userID
        self.text = text
    }

    /// An upload's; `batchID` is in lower case.
    package static func batch(_ batchID: String, project: String, userID: Int64) -> IdempotencyKey {
        IdempotencyKey(scope: project, userID: userID, text: ExactText("batch:" + batchID))
    }

    /// A create's by its header `Idempotency-Key`.
    package static func create(_ header: String, project: String, userID: Int64) -> IdempotencyKey {
        IdempotencyKey(scope: project, userID: userID, text: ExactText("create:" + header))
    }
}
