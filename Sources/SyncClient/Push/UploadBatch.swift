import SyncProtocol

/// What one request uploads. Stored before it is sent, and sent again as it is until it is answered, so that the server
/// can tell a repetition by the id.
struct UploadBatch: Sendable, Equatable {
    /// In the replica.
    let number: Int64
    /// `client_batch_id`.
    let id: String
    /// The request's body, the same bytes with every try.
    let body: String
    let rows: [SentRow]
    /// The replica's, when the batch was taken out to be sent.
    var epoch: Int64 = 0
}

extension UploadBatch {
    /// Only what was edited is written (`_changed` with `overwrite`: the last edit of a column wins), and a row that is
    /// refused does not hold up the others: `docs/protocol.md#post-projectsidsync`.
    static func body(id: String, since: SyncSeq, device: String, rows: [SentRow]) -> String {
        let changes = Dictionary(grouping: rows, by: \.collection).mapValues { rows in
            JSON.object(
                Dictionary(
                    uniqueKeysWithValues: Bucket.allCases.map { bucket in
                        (bucket.rawValue, .array(rows.filter { $0.bucket == bucket }.map(\.json)))
                    }))
        }
        let body: JSON = [
            "client_batch_id": .string(id), "last_pulled_at": .int(since.rawValue), "device_id": .string(device),
            "on_conflict": "overwrite", "on_error": "reject_rows", "changes": .object(changes),
        ]
        return body.text
    }
}
