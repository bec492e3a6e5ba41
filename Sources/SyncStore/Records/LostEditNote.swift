package import SyncProtocol

/// A lost edit without its values, which only its author may read.
package struct LostEditNote: Sendable, Equatable {
    package let id: Int64
    package let project: String
    /// The author.
    package let user: Int64
    package let key: RowKey
    /// Nil if it is a whole row.
    package let field: String?
    package let code: ErrorCode
    package let batchID: String?
    package let at: Instant

    package init(
        id: Int64, project: String, user: Int64, key: RowKey, field: String?, code: ErrorCode, batchID: String?,
        at: Instant
    ) {
        (self.id, self.project, self.user, self.key) = (id, project, user, key)
        (self.field, self.code, self.batchID, self.at) = (field, code, batchID, at)
    }
}
