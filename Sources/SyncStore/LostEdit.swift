package import SyncProtocol

/// A value that a client sent and that the project does not have:
/// it was refused, corrected, or overwritten by another edit.
package struct LostEdit: Sendable, Equatable {
    /// The author.
    package let userID: Int64
    package let key: RowKey
    /// Nil if it is a whole row.
    package let field: String?
    package let code: ErrorCode
    /// The value that was sent, in normal form if it could be read.
    package let sent: JSON
    /// The value that the project has instead.
    package let kept: JSON
    /// Whether `sent` or `kept` was too large and is only its first part.
    package let isCut: Bool
    /// The author's batch. Nil if the batch had no id, and if the edit was applied first and overwritten later.
    package let batchID: String?

    package init(
        userID: Int64, key: RowKey, field: String?, code: ErrorCode, sent: JSON, kept: JSON, isCut: Bool = false,
        batchID: String?
    ) {
        self.userID = userID
        self.key = key
        self.field = field
        self.code = code
        self.sent = sent
        self.kept = kept
        self.isCut = isCut
        self.batchID = batchID
    }
}

/// A lost edit in its author's inbox.
package struct InboxEntry: Sendable, Equatable {
    package let id: Int64
    package let project: String
    package let edit: LostEdit
    package let at: Instant

    package init(id: Int64, project: String, edit: LostEdit, at: Instant) {
        self.id = id
        self.project = project
        self.edit = edit
        self.at = at
    }
}
