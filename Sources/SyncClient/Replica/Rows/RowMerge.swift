import SyncProtocol

extension LocalRow {
    /// The row after the server named it in a live bucket: the table "one id, remote bucket × local state" of
    /// WatermelonDB's `synchronize()`, so that both clients end alike. Columns that were changed here win; what the
    /// server said of them is kept in `base`.
    ///
    /// A row deleted here stays deleted when it is only edited there, and is forgotten to be when it was made anew.
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
