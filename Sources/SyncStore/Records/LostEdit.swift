package import SyncProtocol

/// A value that a client sent and that is not what the project has: refused, put right, or overtaken by another edit.
package struct LostEdit: Sendable, Equatable {
    /// The author.
    package let userID: Int64
    package let key: RowKey
    /// Nil for a whole row.
    package let field: String?
    package let code: ErrorCode
    /// In the normal form, as far as it could be read.
    package let sent: JSON
    /// What the project has instead.
    package let kept: JSON
    /// The author's batch; nil where it had no id, and where the edit had been applied and was overtaken later.
    package let batchID: String?

    package init(
        userID: Int64, key: RowKey, field: String?, code: ErrorCode, sent: JSON, kept: JSON, batchID: String?
    ) {
        self.userID = userID
        self.key = key
        self.field = field
        self.code = code
        self.sent = sent
        self.kept = kept
        self.batchID = batchID
    }
}
