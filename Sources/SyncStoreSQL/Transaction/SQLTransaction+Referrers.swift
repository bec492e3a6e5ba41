package import SyncProtocol
package import SyncSchema
package import SyncStore

extension SQLTransaction {
    package func records(in collection: Collection, project: String, where field: Field, holdsAny values: [JSON]) throws
        -> [StoredRow]
    {
        let isList = field.reference?.isList ?? false
        var found: [StoredRow] = []
        for chunk in ValueChunks.of(values) {
            let sql = layout(collection).selectReferrers(by: field, values: chunk.count)
            found += try records(sql, chunk + (field.user == nil ? [] : [.string(project)]), of: collection)
        }
        found.removeAll { $0.project != project }
        return isList && values.count > ValueChunks.largest ? unique(found) : found
    }

    /// A list can contain values of several chunks, and then its row is found several times.
    private func unique(_ records: [StoredRow]) -> [StoredRow] {
        var seen: Set<String> = []
        return records.filter { seen.insert($0.id).inserted }
    }
}
