import GRDB
import SyncProtocol

/// A query as SQL.
struct QueryStatement {
    let sql: String
    let arguments: StatementArguments

    init(_ query: RowQuery, of collection: CollectionSchema) throws {
        var conditions = query.conditions
        if let project = query.project, collection.projectPlace != nil {
            conditions[ProjectColumn.name] = .equals(.string(project))
        }
        var terms = ["_status <> 'deleted'"]
        var values: [DatabaseValue] = []
        for (name, condition) in conditions.sorted(by: { $0.key < $1.key }) {
            for (comparison, value) in condition.comparisons {
                terms.append("\(try Self.column(name, of: collection)) \(comparison) ?")
                values.append(value)
            }
        }
        let keys = try query.order.map { try Self.key($0, of: collection) } + ["id"]
        sql = """
            SELECT * FROM \(SQLName.quoted(collection.name)) WHERE \(terms.joined(separator: " AND "))
            ORDER BY \(keys.joined(separator: ", "))\(query.limit.map { " LIMIT \(max(0, $0))" } ?? "")
            """
        arguments = StatementArguments(values)
    }

    /// A field with its direction.
    static func key(_ name: String, of collection: CollectionSchema) throws -> String {
        guard name.hasPrefix("-") else { return try column(name, of: collection) }
        return try column(String(name.dropFirst()), of: collection) + " DESC"
    }

    private static func column(_ name: String, of collection: CollectionSchema) throws -> String {
        guard name == "id" || collection[name] != nil else {
            throw ReplicaError.unknownField(name, collection: collection.name)
        }
        return SQLName.quoted(name)
    }
}

extension RowCondition {
    /// SQL's operators with their right sides.
    fileprivate var comparisons: [(String, DatabaseValue)] {
        switch self {
        case .equals(let value): [("IS", SQLValue.encode(value))]
        case .range(let from, let below):
            [from.map { (">=", SQLValue.encode($0)) }, below.map { ("<", SQLValue.encode($0)) }].compactMap { $0 }
                + (from == nil ? [("IS NOT", DatabaseValue.null)] : [])
        case .prefix(let text):
            [(">=", text.databaseValue)] + (text.next.map { [("<", $0.databaseValue)] } ?? [])
        }
    }
}

extension String {
    /// The first text, by its bytes, that does not begin with this one and comes after those that do; nil if there is
    /// none.
    fileprivate var next: String? {
        var scalars = unicodeScalars
        while let last = scalars.popLast() {
            let following = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let scalar = Unicode.Scalar(following) else { continue }
            scalars.append(scalar)
            return String(scalars)
        }
        return nil
    }
}
