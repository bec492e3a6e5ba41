import SyncProtocol

/// A row as it lies in its table, and what it owes the server.
struct LocalRow: Sendable, Equatable {
    let id: String
    /// What the server counted last; zero for a row that it never told.
    var version = ServerVersion(0)
    var status = RowStatus.synced
    /// The columns that were changed here and not sent; of a row that was created here, those that changed since.
    var changed: Set<String> = []
    /// Of all columns.
    var values: [String: JSON]
    /// What the server said last. Nil of a row that owes nothing, and where the server never told.
    var base: Base?

    /// The server's side of a row.
    struct Base: Sendable, Equatable {
        var version: ServerVersion
        var values: [String: JSON]
    }
}

extension LocalRow {
    /// The row as it is, as a base.
    var asBase: Base { Base(version: version, values: values) }

    /// Nothing is owed any more.
    mutating func settle() {
        (status, changed, base) = (.synced, [], nil)
    }

    /// What the server said last of the columns comes back, where it said anything.
    mutating func takeBack(_ columns: some Sequence<String>) {
        for column in columns { values[column] = base?.values[column] ?? values[column] }
    }

    /// As the server has it, as far as that is known.
    var takenBack: LocalRow {
        var row = self
        row.takeBack(values.keys)
        row.settle()
        return row
    }
}

extension LocalRow.Base {
    /// The column `_base`.
    var text: String { JSON.object(["server_version": .int(version.rawValue), "values": .object(values)]).text }

    /// Nil when the text is none of ours.
    init?(_ text: String) {
        guard let json = try? JSON(parsing: text), let version = json["server_version"]?.int,
            let values = json["values"]?.object
        else { return nil }
        self.init(version: ServerVersion(version), values: values)
    }
}
