/// What happened to the rows of a batch that was not refused as a whole.
package struct UploadCounts: Sendable, Equatable {
    package var applied = 0
    /// Left alone, such as a tombstone.
    package var skipped = 0
    /// Left out because of a mistake, or because of somebody else's edit.
    package var rejected = 0

    package init() {}
}

extension UploadReport {
    func counts(_ request: UploadRequest) -> UploadCounts {
        var counts = UploadCounts()
        counts.applied = request.rows.count
        counts.rejected = request.unreadable.count
        guard !leftOut.isEmpty || !skippedRows.isEmpty else { return counts }
        for row in request.rows {
            if leftOut.contains(row.pointer) {
                counts.rejected += 1
            } else if skippedRows.contains(row.key) {
                counts.skipped += 1
            } else {
                continue
            }
            counts.applied -= 1
        }
        return counts
    }
}
