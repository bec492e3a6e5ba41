import SyncProtocol

/// A row as its table stores it, and what is left to send.
struct LocalRow: Sendable, Equatable {
    let id: String
    /// The last `server_version` that the server sent; zero for a row that it never sent.
    var version = ServerVersion(0)
    var status = RowStatus.synced
    /// The columns with unsent edits. For a row that was created here: the columns edited since it was created.
    var changed: Set<String> = []
    /// The values of all columns, by column name.
    var values: [String: JSON]
    /// The server's last values. Nil when nothing is unsent, and when the server never sent the row.
    var base: Base?

    /// The server's side of a row.
    struct Base: Sendable, Equatable {
        var version: ServerVersion
        var values: [String: JSON]
        /// The version that a drain had delivered when the oldest unsent edit of a column was made, by column; the
        /// first one if the row was made here and no drain had delivered it. A column is missing if an older version of
        /// this library made the edit.
        var edited: [String: ServerVersion] = [:]
    }
}

extension LocalRow {
    /// The row's present values as a base.
    var asBase: Base { Base(version: version, values: values) }

    /// Notes an edit of columns, of a row of which a drain has delivered `drained`; zero if none has delivered it.
    mutating func edit(_ changes: [String: JSON], on drained: ServerVersion) {
        if status == .synced { (base, status) = (asBase, .updated) }
        for name in changes.keys where !changed.contains(name) { base?.edited[name] = max(drained, .first) }
        changed.formUnion(changes.keys)
        values.merge(changes) { $1 }
    }

    /// Marks the row as fully sent.
    mutating func settle() {
        status = .synced
        changed = []
        base = nil
    }

    /// Returns the columns to the server's last values, where it sent any.
    mutating func takeBack(_ columns: some Sequence<String>) {
        for column in columns { values[column] = base?.values[column] ?? values[column] }
    }

    /// The row as the server has it, as far as that is known.
    var takenBack: LocalRow {
        var row = self
        row.takeBack(values.keys)
        row.settle()
        return row
    }
}

extension LocalRow.Base {
    /// Columns without a version were edited on the row's first one.
    mutating func noteFirst(_ columns: Set<String>) {
        for name in columns { edited[name] = edited[name] ?? .first }
    }

    /// The text of the column `_base`.
    var text: String {
        var members: [String: JSON] = ["server_version": .int(version.rawValue), "values": .object(values)]
        if !edited.isEmpty { members["edited"] = .object(edited.mapValues { .int($0.rawValue) }) }
        return JSON.object(members).text
    }

    /// Nil when the text does not have the form that `text` writes.
    init?(_ text: String) {
        guard let json = try? JSON(parsing: text), let version = json["server_version"]?.int,
            let values = json["values"]?.object
        else { return nil }
        let edited = (json["edited"]?.object ?? [:]).compactMapValues { $0.int.map { ServerVersion($0) } }
        self.init(version: ServerVersion(version), values: values, edited: edited)
    }
}

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
        result.base = Base(
            version: row.version, values: (base?.values ?? values).merging(told) { $1 }, edited: base?.edited ?? [:])
        let revives = status == .deleted && bucket == .created
        if revives { result.settle() }
        if status != .deleted || revives {
            result.values.merge(told.filter { revives || !changed.contains($0.key) }) { $1 }
        }
        return result
    }
}

/// What is left to send of a row: its column `_status`, as in WatermelonDB.
public enum RowStatus: String, Sendable, CaseIterable {
    /// Nothing. The row has the server's last values.
    case synced
    /// The whole row: it was created here.
    case created
    /// The columns that `_changed` lists.
    case updated
    /// Its deletion. The row stays in the table until the deletion is settled.
    case deleted
}

/// The list that a row is in, on a page or in a batch.
enum Bucket: String, Sendable, CaseIterable {
    case created, updated, deleted
}
