import SyncProtocol

/// What one request uploads. It is stored before it is sent, and sent again unchanged until it is answered, so the
/// server can recognize a repetition by the id.
struct UploadBatch: Sendable, Equatable {
    /// The key in the replica's table `_batch`.
    let number: Int64
    /// `client_batch_id`.
    let id: String
    /// The request's body. Every attempt sends the same bytes.
    let body: String
    let rows: [SentRow]
    /// The replica's epoch (`ReplicaState.epoch`) when the batch was taken out to be sent.
    var epoch: Int64 = 0
}

extension UploadBatch {
    /// The request's body. Only edited columns are written: `_changed` with `overwrite` means that the last edit of a
    /// column wins. A refused row does not hold up the others (`docs/protocol.md#post-projectsidsync`).
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
