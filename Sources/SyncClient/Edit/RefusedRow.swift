import GRDB
import SyncProtocol

/// A row that the server did not take and does not have as it is here, and one of its reasons.
public struct RefusedRow: Sendable, Equatable {
    /// The collection it is in.
    public let collection: String
    /// Its id.
    public let id: String
    /// What is wrong; nil for the row as a whole.
    public let field: String?
    /// The contract's code.
    public let code: String
    /// A sentence for a person.
    public let detail: String
}

extension RefusedRow {
    init(_ collection: String, _ id: String, _ refusal: UploadAnswer.Refusal) {
        self.init(
            collection: collection, id: id, field: refusal.field, code: refusal.code, detail: refusal.detail)
    }
}
