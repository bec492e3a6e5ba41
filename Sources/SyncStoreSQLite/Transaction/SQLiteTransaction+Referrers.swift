import SyncProtocol
import SyncSchema
import SyncStore

extension SQLiteTransaction {
    func records(in collection: Collection, project: String, where field: Field, holdsAny values: [JSON]) throws
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

    /// A list can hold values of several chunks.
    private func unique(_ records: [StoredRow]) -> [StoredRow] {
        var seen: Set<String> = []
        return records.filter { seen.insert($0.id).inserted }
    }
}

/// Cuts the values of one question into chunks of a few sizes, so that a few statements, prepared once, answer for any
/// number of values.
enum ValueChunks {
    static let sizes = [1, 16, 256]
    static let largest = 256

    /// The last chunk is filled up with its last value: asking for a value twice finds a row once.
    static func of(_ values: [JSON]) -> [[JSON]] {
        stride(from: 0, to: values.count, by: largest).map { start in
            let chunk = values[start..<min(start + largest, values.count)]
            let size = sizes.first { $0 >= chunk.count } ?? largest
            return chunk + Array(repeating: chunk.last ?? .null, count: size - chunk.count)
        }
    }
}
