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
    }
}

extension LocalRow {
    /// The row's present values as a base.
    var asBase: Base { Base(version: version, values: values) }

    /// Marks the row as fully sent.
    mutating func settle() {
        (status, changed, base) = (.synced, [], nil)
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
    /// The text of the column `_base`.
    var text: String { JSON.object(["server_version": .int(version.rawValue), "values": .object(values)]).text }

    /// Nil when the text does not have the form that `text` writes.
    init?(_ text: String) {
        guard let json = try? JSON(parsing: text), let version = json["server_version"]?.int,
            let values = json["values"]?.object
        else { return nil }
        self.init(version: ServerVersion(version), values: values)
    }
}
