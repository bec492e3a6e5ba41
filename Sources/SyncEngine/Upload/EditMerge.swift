import SyncProtocol
import SyncSchema
import SyncStore
import SyncValues

/// Merges an edit of a live row with what others wrote since the edit's base, in fields with `x-merge`.
struct EditMerge {
    /// Whether counters are merged too. Without the device's name, an edit that comes twice would count twice.
    let mergesCounters: Bool

    /// A field's value that has the changes of both sides.
    struct Merged {
        let field: Field
        /// In normal form.
        let sent: JSON
        let value: JSON
    }

    /// The fields of the edit that merge. The others are as without the keyword: the value that the sender knew is
    /// forgotten or too large, or the result breaks the schema.
    func merged(_ row: UploadRequest.Row, since history: RowHistory) -> [Merged] {
        let collection = history.collection
        guard !collection.places.merged.isEmpty else { return [] }
        let patch = row.patch
        return collection.places.merged.compactMap { position in
            let field = collection.fields[position]
            guard let value = patch[field.name], row.extras.halves[field.name] == nil,
                let sent = try? row.extras.judged.normalized(value, field)
            else { return nil }
            return merged(sent, of: field, into: history.row.values[position], since: history)
        }
    }

    private func merged(_ sent: JSON, of field: Field, into stored: JSON, since history: RowHistory) -> Merged? {
        guard let merge = field.merge, merge != .counter || mergesCounters,
            let known = history.story(of: field).known
        else { return nil }
        // What others did to the value is undone again, or there was nothing.
        guard known != stored else { return Merged(field: field, sent: sent, value: sent) }
        guard
            [sent, known, stored].allSatisfy({ $0.roughBytes <= FieldMerge.mostBytes }),
            let value = merge.merged(sent, from: known, into: stored), EditMerge.fits(value, field)
        else { return nil }
        return Merged(field: field, sent: sent, value: value)
    }

    /// Whether the schema allows the result. Its parts are those of valid values, so only the whole is judged.
    private static func fits(_ value: JSON, _ field: Field) -> Bool {
        if let allowed = field.value.allowed, !allowed.contains(value) { return false }
        guard let elements = value.array else {
            return value.int == nil || (try? field.value.normalized(value)) != nil
        }
        return elements.count <= field.value.maxItems ?? .max
    }
}

extension UploadRequest.Row {
    /// The same row with the merged value. What was sent is kept beside it.
    func taking(_ merged: EditMerge.Merged) -> UploadRequest.Row {
        var row = setting(merged.field.name, to: merged.value)
        row.extras.judged.accept(merged.value, of: merged.field)
        if merged.sent != merged.value { row.extras.sent[merged.field.name] = merged.sent }
        return row
    }
}
