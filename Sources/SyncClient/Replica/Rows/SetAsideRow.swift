import GRDB
public import SyncProtocol

/// A row as it was here, with something in it that is not on the server and will not be.
public struct SetAsideRow: Sendable, Equatable {
    /// Rises with time.
    public let number: Int64
    /// The collection it was in.
    public let collection: String
    /// Its id.
    public let id: String
    /// All its columns, `_status` and `_changed` included.
    public let row: JSON
    /// The contract's code for why.
    public let reason: String
    /// When, in UTC.
    public let time: String
    /// Why, field by field as the server said it; at least one.
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

    /// Where the server had no words of its own for it.
    private static func refusal(by reason: String) -> UploadAnswer.Refusal {
        let detail =
            switch reason {
            case ErrorCode.deleted.rawValue: "The row was deleted on the server."
            case ErrorCode.notFound.rawValue: "The server does not have the row any more."
            case ErrorCode.parentDeleted.rawValue: "What the row was to be moved below was deleted on the server."
            case ErrorCode.readOnlyField.rawValue: "The server alone writes the field now."
            case WipeReason.membershipRevoked.rawValue: "The membership in the project has ended."
            case WipeReason.projectDeleted.rawValue: "The project was deleted."
            default: "The server did not take the edit."
            }
        return UploadAnswer.Refusal(field: nil, code: reason, detail: detail)
    }
}
