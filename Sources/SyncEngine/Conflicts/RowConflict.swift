import SyncProtocol
import SyncSchema
import SyncStore

/// An uploaded edit that was not applied because somebody else's edit of the same row won.
struct RowConflict {
    let row: UploadRequest.Row
    let collection: Collection
    let stored: StoredRow
    /// The fields in which the two edits differ.
    let fields: [String]
    /// All values that the edit would have changed, by field.
    let edited: [String: JSON]
    /// Fields that the edit sends with the value they already have.
    let unchanged: Set<String>
    /// The code of the loss in the inbox.
    let code: ErrorCode

    /// The stored value of a field.
    func kept(_ field: String) -> JSON { collection.position(field).map { stored.values[$0] } ?? .null }

    /// The conflict's element in the answer's `conflicts`.
    func json(as encoding: WireEncoding) -> JSON {
        [
            "id": .string(row.key.id), "fields": .array(fields.map(JSON.string)),
            "server_version": .int(stored.version.rawValue), "server_values": serverValues(as: encoding),
            "client_values": values(as: encoding) { edited[$0] ?? .null },
        ]
    }

    func serverValues(as encoding: WireEncoding) -> JSON { values(as: encoding, kept) }

    private func values(as encoding: WireEncoding, _ value: (String) -> JSON) -> JSON {
        .object(
            Dictionary(
                uniqueKeysWithValues: fields.map { ($0, encoding.encoded(value($0), of: collection.field($0)!)) }))
    }
}
