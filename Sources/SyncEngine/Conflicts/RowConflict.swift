import SyncProtocol
import SyncSchema
import SyncStore

/// An uploaded edit that was not applied because somebody else's edit of the same row stands.
struct RowConflict {
    let row: UploadRequest.Row
    let collection: Collection
    let stored: StoredRow
    /// The fields on which both differ.
    let fields: [String]
    /// Everything that the edit would have changed, by field.
    let edited: [String: JSON]
    /// Fields that it sends as they are already.
    let unchanged: Set<String>
    /// How the loss is called in the inbox.
    let code: ErrorCode

    /// The stored value of a field.
    func kept(_ field: String) -> JSON { collection.position(field).map { stored.values[$0] } ?? .null }

    /// The member of `conflicts`.
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
