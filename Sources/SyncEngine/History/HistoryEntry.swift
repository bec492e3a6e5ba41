package import SyncProtocol
import SyncSchema
import SyncStore

/// One entry of a row's history: its insert, or an edit.
package struct HistoryEntry: Sendable, Equatable {
    /// The row's version after it.
    package let version: ServerVersion
    /// When the server applied it, by its own clock.
    package let at: Instant
    /// When the user made it, if the client says so; never after `at`.
    package let editedAt: Instant
    /// Nil for an edit of the server's own: one that no credential made, as a command of the operator.
    package let userID: Int64?
    /// The name that the device gives itself; nil if it gives none, and for an insert.
    package let device: ExactText?
    /// The fields that it changed, with their values in normal form. Of an insert, those that differ from the schema's
    /// default. Fields that only the server writes and the edit time are never among them.
    package let changes: [String: Change]

    package struct Change: Sendable, Equatable {
        package let before: JSON
        package let after: JSON
    }

    /// The size of the values before and after, in bytes.
    var textBytes: Int { changes.values.reduce(0) { $0 + $1.before.text.utf8.count + $1.after.text.utf8.count } }

    /// An edit that left the row with these values, by field.
    init(_ change: RowChange, leaving values: [String: JSON], in collection: Collection) {
        version = change.version
        (at, editedAt) = (change.at, change.editedAt)
        (userID, device) = (change.origin.author, change.origin.device)
        changes = change.replaced.filter { collection.tells($0.key) }.reduce(into: [:]) { changes, replaced in
            changes[replaced.key] = Change(before: replaced.value, after: values[replaced.key] ?? .null)
        }
    }

    /// The insert of a row of the collection, with these values by field; nil if they are not known.
    init(insertOf collection: Collection, with values: [String: JSON]?, by user: Int64, at date: Instant) {
        version = .first
        at = date
        (userID, device) = (user, nil)
        let edited = collection.editTime.flatMap { values?[$0.name]?.string }.flatMap(Instant.init)
        editedAt = min(edited ?? date, date)
        changes = (values ?? [:]).reduce(into: [:]) { changes, value in
            guard collection.tells(value.key), value.value != collection.field(named: value.key).fallback else {
                return
            }
            changes[value.key] = Change(before: .null, after: value.value)
        }
    }
}

extension Collection {
    /// Whether a history tells of changes of the field.
    fileprivate func tells(_ name: String) -> Bool {
        field(name).map { !$0.isServerOwned && $0.name != editTime?.name } ?? false
    }
}
