package import SyncProtocol
package import SyncSchema

extension UploadRequest {
    /// Reads what WatermelonDB's documented `pushChanges` sends: the bare `changes`, of every collection that the app
    /// has. There is no batch id, so no answer is stored. A retry is applied again, to rows that already have these
    /// values. A row that somebody else has changed since fails the batch, so the client pulls first.
    ///
    /// Throws what an envelope throws, except `invalid_batch_id`.
    package init(
        project: String, stock changes: JSON, halves: [MendedJSON.Half] = [], lastPulledAt: SyncSeq,
        onError: ErrorMode = .rejectBatch, registry: Registry, maximumRows: Int
    ) throws {
        guard let collections = changes.object else {
            throw Problem(.invalidBody, "With last_pulled_at in the query, the body must be an object of collections.")
        }
        let envelope: [String: JSON] = [
            "last_pulled_at": .int(lastPulledAt.rawValue), "encoding": .string(WireEncoding.watermelondb.rawValue),
            "on_conflict": .string(ConflictMode.reject.rawValue), "on_error": .string(onError.rawValue),
            "changes": .object(
                collections.filter { name, buckets in
                    registry[name]?.isUploadable(userWide: project.isEmpty) == true || !UploadRequest.isEmpty(buckets)
                }),
        ]
        try self.init(
            project: project, envelope, halves: halves, batchID: nil, registry: registry, maximumRows: maximumRows,
            changesPointer: "")
    }

    private static func isEmpty(_ buckets: JSON) -> Bool { buckets.object?.values.allSatisfy { $0 == [] } ?? false }
}
