import SyncProtocol

extension LocalRow {
    /// The row after the server sent it in the bucket `created` or `updated`. This follows the table "one id, remote
    /// bucket × local state" of WatermelonDB's `synchronize()`, so both clients reach the same result. Columns that
    /// were edited here win; the server's values of them are kept in `base`.
    ///
    /// A row that was deleted here stays deleted if the server only edited it. If the server created it
    /// again, the deletion here is forgotten.
    func merged(with row: WireRow, in bucket: Bucket, _ columns: [ColumnSchema]) -> LocalRow {
        var told: [String: JSON] = [:]
        for (column, value) in zip(columns, row.values) { told[column.name] = value }
        var result = self
        result.version = row.version
        result.base = Base(version: row.version, values: (base?.values ?? values).merging(told) { $1 })
        let revives = status == .deleted && bucket == .created
        if revives { result.settle() }
        if status != .deleted || revives {
            result.values.merge(told.filter { revives || !changed.contains($0.key) }) { $1 }
        }
        return result
    }
}
