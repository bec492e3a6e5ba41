import GRDB
import SyncProtocol

/// One reason why the server refused a row. A row with several reasons appears several times.
public struct RefusedRow: Sendable, Equatable {
    /// The row's collection.
    public let collection: String
    /// The row's id.
    public let id: String
    /// The field that is wrong; nil when the reason concerns the whole row.
    public let field: String?
    /// An error code of the sync protocol.
    public let code: String
    /// A sentence for a person.
    public let detail: String
    /// With the code `not_unique`: the id of the row of the same collection that has the key, if the caller may see it.
    public internal(set) var existing: String?
}

extension RefusedRow {
    init(_ collection: String, _ id: String, _ refusal: UploadAnswer.Refusal) {
        self.init(
            collection: collection, id: id, field: refusal.field, code: refusal.code, detail: refusal.detail,
            existing: refusal.existing)
    }
}
