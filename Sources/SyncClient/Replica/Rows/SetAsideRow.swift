import GRDB
public import SyncProtocol

/// A copy of a row, taken when it had an edit that is not on the server and will not get there.
public struct SetAsideRow: Sendable, Equatable {
    /// Rises with every row that is set aside.
    public let number: Int64
    /// The row's collection.
    public let collection: String
    /// The row's id.
    public let id: String
    /// All columns, `_status` and `_changed` included.
    public let row: JSON
    /// The reason: an error code of the sync protocol, a `WipeReason`, or `collection_removed`.
    public let reason: String
    /// The time at which it was set aside, in UTC, as `2026-11-30T12:00:00.000Z`.
    public let time: String
    /// The reasons field by field, in the server's words; at least one.
    public let refusals: [RefusedRow]
}

extension SetAsideRow {
    init(_ row: Row) throws {
        let (collection, id, reason) = (row["collection"] as String, row["id"] as String, row["reason"] as String)
        let told = try (row["refusals"] as String?).map { try JSON(parsing: $0).array ?? [] } ?? []
        let refusals = told.map(UploadAnswer.Refusal.init).map { RefusedRow(collection, id, $0) }
        self.init(
            number: row["number"], collection: collection, id: id, row: try JSON(parsing: row["row"] as String),
            reason: reason, time: row["time"],
            refusals: refusals.isEmpty ? [RefusedRow(collection, id, Self.refusal(by: reason))] : refusals)
    }

    /// The reason when the server gave no details.
    private static func refusal(by reason: String) -> UploadAnswer.Refusal {
        let detail =
            switch reason {
            case ErrorCode.deleted.rawValue: "The row was deleted on the server."
            case ErrorCode.notFound.rawValue: "The server no longer has the row."
            case ErrorCode.parentDeleted.rawValue: "A row that it belongs to was deleted on the server."
            case ErrorCode.readOnlyField.rawValue: "Only the server may write the field now."
            case SetAside.collectionRemoved: "The server no longer has the collection."
            case WipeReason.membershipRevoked.rawValue: "You are no longer a member of the project."
            case WipeReason.projectDeleted.rawValue: "The project was deleted."
            default: "The server did not accept the edit."
            }
        return UploadAnswer.Refusal(field: nil, code: reason, detail: detail)
    }
}
